#if canImport(AppKit) && !targetEnvironment(macCatalyst)
  public import AppKit
  public import DataSources

  /// Shows a list in a view-based `NSTableView`: its data source, and its delegate if it has none.
  ///
  /// This file was only type-checked on Linux, against declarations written after Apple's documentation. It was never
  /// run.
  ///
  /// ```swift
  /// import AppKit
  /// import AppleLists
  /// import FetchedResults
  ///
  /// @MainActor func show(
  ///   _ controller: FetchedResultsController<Item>, in tableView: NSTableView
  /// ) -> ListAdapter<FetchedResultsController<Item>, TableViewHost> {
  ///   let list = ListAdapter(
  ///     source: controller,
  ///     presenter: .dequeuing("item", as: NSTableCellView.self) { cell, item in
  ///       cell.textField?.stringValue = item.title
  ///     },
  ///     host: TableViewHost(tableView))
  ///   list.follow()
  ///   return list
  /// }
  /// ```
  ///
  /// Each section has a group row with its header, because the table has no sections. ``path(atRow:)`` finds the item
  /// of a row, such as the selected one. Keep the adapter: it keeps the host, which the table does not.
  ///
  /// If the table has a delegate of yours, pass its `tableView(_:viewFor:row:)` and `tableView(_:isGroupRow:)` on to
  /// the host. In a table of several columns, a presenter reads ``column`` to know which one it fills. While the table
  /// is in no window, it is reloaded instead of animated.
  @MainActor public final class TableViewHost: NSObject, @MainActor ListHost, NSTableViewDataSource, NSTableViewDelegate
  {
    /// The table.
    public let tableView: NSTableView

    /// Whether each section has a group row.
    public let showsSections: Bool

    /// The content to show.
    public weak var content: (any ListContent<NSView>)?

    /// How rows come and go.
    public var rowAnimation: NSTableView.AnimationOptions = .effectFade

    /// The column whose cell is being made.
    public private(set) var column: NSTableColumn?

    private var kinds: [String: CellRegistration<NSView>] = [:]

    /// Becomes the data source of a table, and its delegate if it has none.
    ///
    /// - Parameters:
    ///   - tableView: The table.
    ///   - showsSections: Whether each section has a group row with its header.
    public init(_ tableView: NSTableView, showsSections: Bool = true) {
      self.tableView = tableView
      self.showsSections = showsSections
      super.init()
      tableView.dataSource = self
      if tableView.delegate == nil { tableView.delegate = self }
    }

    /// The path of the item in a row; nil for a group row, and for -1, which is no row.
    public func path(atRow row: Int) -> ItemPath? {
      guard let place = rows?.place(at: row), let item = place.item else { return nil }
      return ItemPath(section: place.section, item: item)
    }

    /// The row of an item.
    public func row(of path: ItemPath) -> Int { rows?.row(of: path) ?? -1 }

    /// Registers a kind of cell.
    public func register(_ registration: CellRegistration<NSView>) { kinds[registration.identifier] = registration }

    /// A cell of the table's, or else a new one of a registered kind.
    public func dequeue(_ identifier: String, for path: ItemPath) -> NSView {
      view(identifier) {
        guard let kind = kinds[identifier] else {
          fatalError("no cell is registered as \"\(identifier)\", neither with the table nor by the presenter")
        }
        return kind.makeCell()
      }
    }

    /// Reloads the table.
    public func reloadData() { tableView.reloadData() }

    /// Shows a stage of a change as one group of updates.
    public func performBatch(_ stage: Changes, switchingContent: () -> Void) {
      guard tableView.window != nil, let rows else {
        switchingContent()
        return tableView.reloadData()
      }
      tableView.beginUpdates()
      let steps = RowSteps(stage, of: rows, switchingContent: switchingContent)
      tableView.removeRows(at: IndexSet(steps.removed), withAnimation: rowAnimation)
      for move in steps.moved { tableView.moveRow(at: move.from, to: move.to) }
      tableView.insertRows(at: IndexSet(steps.inserted), withAnimation: rowAnimation)
      tableView.endUpdates()
      tableView.reloadData(
        forRowIndexes: IndexSet(steps.updated), columnIndexes: IndexSet(integersIn: 0..<tableView.numberOfColumns))
    }

    /// The number of rows, group rows included.
    public func numberOfRows(in tableView: NSTableView) -> Int { rows?.count ?? 0 }

    /// The view of a cell, or of a group row.
    public func tableView(_ tableView: NSTableView, viewFor tableColumn: NSTableColumn?, row: Int) -> NSView? {
      guard let content, let place = rows?.place(at: row) else { return nil }
      guard let item = place.item else {
        let header = view("AppleLists.header") { NSTextField(labelWithString: "") }
        (header as? NSTextField)?.stringValue = content.header(ofSection: place.section) ?? ""
        return header
      }
      column = tableColumn
      defer { column = nil }
      return content.cell(at: ItemPath(section: place.section, item: item))
    }

    /// Whether a row is a section's.
    public func tableView(_ tableView: NSTableView, isGroupRow row: Int) -> Bool {
      rows?.place(at: row).map { $0.item == nil } ?? false
    }

    /// Whether a row can be selected: a group row can't.
    public func tableView(_ tableView: NSTableView, shouldSelectRow row: Int) -> Bool { path(atRow: row) != nil }

    private var rows: FlatRows? { content.map { FlatRows($0, hasHeaders: showsSections) } }

    private func view(_ identifier: String, or make: () -> NSView) -> NSView {
      let identifier = NSUserInterfaceItemIdentifier(identifier)
      if let view = tableView.makeView(withIdentifier: identifier, owner: self) { return view }
      let view = make()
      view.identifier = identifier
      return view
    }
  }
#endif
