public import DataSources

extension TerminalTable {
  /// The path of the selected row; nil if none or a folded section is selected.
  public var selectedPath: ItemPath? {
    if case .row(let path)? = selection?.line { path } else { nil }
  }

  /// The id of the selected row; nil if none is selected, or if items have no ids.
  public var selectedID: AnyHashable? {
    if case .row(let id)? = selection?.identity { id } else { nil }
  }

  /// The section of the selected row, or the selected folded section.
  public var selectedSection: Int? { selection?.line.section }

  /// Selects the row at a path and makes it visible; nil selects nothing. A row that doesn't exist, or is folded away,
  /// is not selected.
  ///
  /// ```swift
  /// table.select(ItemPath(section: 0, item: 0))
  /// ```
  public func select(_ path: ItemPath?) {
    select(line: path.map { .row($0) })
  }

  /// Selects the row with an id, as ``select(_:)-(ItemPath?)`` does. Returns whether it could.
  ///
  /// ```swift
  /// if !table.select(id: 7) { print("it is gone") }
  /// ```
  @discardableResult public func select(id: AnyHashable) -> Bool {
    guard let layout, let path = layout.content.path(ofItemID: id), layout.contains(.row(path)) else { return false }
    select(line: .row(path))
    return true
  }

  /// Selects the first row, or folded section.
  ///
  /// ```swift
  /// table.selectFirst()
  /// ```
  public func selectFirst() { select(line: layout.flatMap { $0.selectable(fromSection: 0) }) }

  /// Selects the last row, or folded section.
  ///
  /// ```swift
  /// table.selectLast()
  /// ```
  public func selectLast() {
    select(line: layout.flatMap { $0.selectable(upToSection: $0.content.numberOfSections - 1) })
  }

  /// Selects the row, or folded section, some steps down or, if negative, up; the last one if there are fewer. If
  /// nothing was selected, it selects the first visible one.
  ///
  /// ```swift
  /// table.moveSelection(by: 1)  // the arrow key down
  /// ```
  ///
  /// Complexity: O(log n), and O(1) more for each folded section on the way.
  public func moveSelection(by steps: Int) {
    guard let layout else { return }
    guard let line = selection?.line else { return select(line: layout.selectable(from: visibleLines().first)) }
    select(line: layout.selectable(line, offsetBy: steps))
  }

  /// Moves the selection by a number of screens, down or, if negative, up.
  public func moveSelection(byPages pages: Int) {
    let (steps, isTooFar) = pages.multipliedReportingOverflow(by: max(area.count - 1, 1))
    moveSelection(by: isTooFar ? (pages < 0 ? .min : .max) : steps)
  }

  /// Folds the rows of a section, or unfolds them. If one of the rows was selected, the section is selected now, and
  /// the reverse.
  ///
  /// ```swift
  /// table.toggleFold(section: 0)
  /// ```
  public func toggleFold(section: Int) {
    guard let content, section >= 0, section < content.numberOfSections else { return }
    let id = content.sectionID(at: section)
    toggledSection = section
    defer { toggledSection = nil }
    if foldedSections.remove(id) == nil { foldedSections.insert(id) }
  }

  func foldingDidChange(from old: Set<SectionID>) {
    guard let content, foldedSections != old else { return }
    if let toggled = toggledSection {
      if foldedSections.count > old.count { folded.insert(toggled) } else { folded.remove(toggled) }
    } else {
      folded = FoldedSections(foldedSections, in: content)
    }
    guard let layout else { return }
    if let line = selection?.line, layout.contains(line), layout.isSelectable(line) {
      isRevealing = true
    } else if let section = selection?.line.section {
      let start: TableLine = layout.isFolded(section) ? .header(section) : .row(ItemPath(section: section, item: 0))
      select(line: layout.selectable(from: layout.nearest(start)), displaying: false)
    }
    displayIfAutomatic()
  }

  private func select(line: TableLine?, displaying: Bool = true) {
    if let line, let layout, layout.contains(line), layout.isSelectable(line) {
      selection = (line, layout.identity(of: line))
      isRevealing = true
    } else {
      selection = nil
    }
    if displaying { displayIfAutomatic() }
  }
}
