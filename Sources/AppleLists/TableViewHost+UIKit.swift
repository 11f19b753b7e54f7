#if canImport(UIKit) && !os(watchOS)
  public import DataSources
  public import UIKit

  /// Shows a list in a `UITableView`: its data source.
  ///
  /// This file was only type-checked on Linux, against declarations written after Apple's documentation. It was never
  /// run.
  ///
  /// ```swift
  /// import AppleLists
  /// import FetchedResults
  /// import UIKit
  ///
  /// final class ItemCell: UITableViewCell, @MainActor ReusableCell {}
  ///
  /// @MainActor func show(
  ///   _ controller: FetchedResultsController<Item>, in tableView: UITableView
  /// ) -> ListAdapter<FetchedResultsController<Item>, TableViewHost> {
  ///   let list = ListAdapter(
  ///     source: controller,
  ///     presenter: .configuring(ItemCell.self) { cell, item in
  ///       var content = cell.defaultContentConfiguration()
  ///       content.text = item.title
  ///       cell.contentConfiguration = content
  ///     },
  ///     host: TableViewHost(tableView))
  ///   list.follow()
  ///   return list
  /// }
  /// ```
  ///
  /// Selection, swipe actions and heights are your delegate's, which the host leaves alone. An index path that it gets
  /// is a place in the adapter's list: `list.snapshot[ItemPath(indexPath)]`. Keep the adapter: it keeps the host, which
  /// the table does not. For cells of a nib or a storyboard use `CellPresenter.dequeuing(_:as:_:)`.
  ///
  /// While the table is in no window, it is reloaded instead of animated.
  @MainActor public final class TableViewHost: NSObject, @MainActor ListHost, UITableViewDataSource {
    /// The table.
    public let tableView: UITableView

    /// The content to show.
    public weak var content: (any ListContent<UITableViewCell>)?

    /// How sections and rows come and go.
    public var rowAnimation: UITableView.RowAnimation = .automatic

    /// Whether a changed row gets another cell, which can be of another kind. By default its cell is filled again in
    /// place, unless the presenter has several kinds of cells.
    public var replacesUpdatedCells = false

    /// Whether the index titles of sections are shown at the table's edge.
    public var showsSectionIndex = false {
      didSet { tableView.reloadSectionIndexTitles() }
    }

    private var numberOfKinds = 0

    /// Becomes the data source of a table.
    public init(_ tableView: UITableView) {
      self.tableView = tableView
      super.init()
      tableView.dataSource = self
    }

    /// Registers a kind of cell with the table.
    public func register(_ registration: CellRegistration<UITableViewCell>) {
      tableView.register(registration.type, forCellReuseIdentifier: registration.identifier)
      numberOfKinds += 1
      if numberOfKinds > 1 { replacesUpdatedCells = true }
    }

    /// A cell of the table.
    public func dequeue(_ identifier: String, for path: ItemPath) -> UITableViewCell {
      tableView.dequeueReusableCell(withIdentifier: identifier, for: IndexPath(path))
    }

    /// Reloads the table.
    public func reloadData() { tableView.reloadData() }

    /// Shows a stage of a change as one batch.
    public func performBatch(_ stage: Changes, switchingContent: @escaping () -> Void) {
      guard tableView.window != nil else {
        // For a batch UIKit would lay out the table, and warn that it is in no window.
        switchingContent()
        return tableView.reloadData()
      }
      tableView.performBatchUpdates { [self] in
        switchingContent()
        tableView.deleteSections(IndexSet(stage.deletedSections), with: rowAnimation)
        tableView.insertSections(IndexSet(stage.insertedSections), with: rowAnimation)
        for move in stage.movedSections { tableView.moveSection(move.from, toSection: move.to) }
        tableView.reloadSections(IndexSet(stage.updatedSections.map(\.from)), with: rowAnimation)
        tableView.deleteRows(at: stage.deletedItems.map { IndexPath($0) }, with: rowAnimation)
        tableView.insertRows(at: stage.insertedItems.map { IndexPath($0) }, with: rowAnimation)
        for move in stage.movedItems { tableView.moveRow(at: IndexPath(move.from), to: IndexPath(move.to)) }
        let updated = stage.updatedItems.map { IndexPath($0.from) }
        if replacesUpdatedCells {
          tableView.reloadRows(at: updated, with: rowAnimation)
        } else {
          tableView.reconfigureRows(at: updated)
        }
      }
    }

    /// Shows the index titles of the sections after a change.
    public func updateDidEnd(_ changes: Changes) {
      if showsSectionIndex { tableView.reloadSectionIndexTitles() }
    }

    /// The number of sections.
    public func numberOfSections(in tableView: UITableView) -> Int { content?.numberOfSections ?? 0 }

    /// The number of rows in a section.
    public func tableView(_ tableView: UITableView, numberOfRowsInSection section: Int) -> Int {
      content?.numberOfItems(inSection: section) ?? 0
    }

    /// The cell of a row.
    public func tableView(_ tableView: UITableView, cellForRowAt indexPath: IndexPath) -> UITableViewCell {
      content?.cell(at: ItemPath(indexPath)) ?? UITableViewCell()
    }

    /// The header of a section, or else its name.
    public func tableView(_ tableView: UITableView, titleForHeaderInSection section: Int) -> String? {
      content?.header(ofSection: section)
    }

    /// The footer of a section.
    public func tableView(_ tableView: UITableView, titleForFooterInSection section: Int) -> String? {
      content?.footer(ofSection: section)
    }

    /// The index titles of all sections, if they are shown.
    public func sectionIndexTitles(for tableView: UITableView) -> [String]? {
      showsSectionIndex ? content?.sectionIndexTitles : nil
    }

    /// The first section with an index title.
    public func tableView(_ tableView: UITableView, sectionForSectionIndexTitle title: String, at index: Int) -> Int {
      content?.section(forIndexTitle: title) ?? 0
    }
  }
#endif
