import FetchedResultsSupport

extension Draft {
  /// Appends a new section, and returns its id: `.text(name)`, with a number after it if that is taken.
  ///
  /// ```swift
  /// SectionController<String>().edit { draft in
  ///   draft.createSection(name: "Errands", items: ["Milk"])  // .text("Errands")
  ///   draft.createSection(name: "Errands")                   // .text("Errands 2")
  /// }
  /// ```
  ///
  /// Complexity: O(number of sections + k) for k rows, the first time; O(log n + k) for further ones in the same edit
  /// and, in a ``SectionController``, in later ones. A source of your own that makes a draft for each edit pays the
  /// first cost in each edit. If sections have the name already, finding a free number costs a step for each.
  @discardableResult public mutating func createSection(
    name: String, items: [Item] = []
  ) -> SectionID {
    var taken = takenIDs ?? TakenIDs(snapshot.lazy.map(\.id))
    takenIDs = nil
    let id = taken.freeID(for: name)
    takenIDs = consume taken  // else it lives to the end of this function, and the insertion below copies all ids
    appendSection(Section(id: id, name: name, items: items))
    return id
  }

  /// Appends a section.
  ///
  /// Complexity: O(log n + k) for k rows.
  public mutating func appendSection(_ section: Section<Item>) { insertSection(section, at: snapshot.count) }

  /// Inserts a section at an index, from 0 to the number of sections.
  ///
  /// Complexity: O(log n + k) for k rows.
  public mutating func insertSection(_ section: Section<Item>, at index: Int) {
    require(
      index >= 0 && index <= snapshot.count,
      "a section cannot be inserted at \(index): there are \(snapshot.count) sections")
    snapshot.insertSection(section, at: index)
    takenIDs?.insert(section.id)
    record(Changes(insertedSections: [index], insertedItems: paths(inSection: index)))
  }

  /// Removes a section with its rows, and returns it.
  ///
  /// Complexity: O(log n + k) for k rows.
  @discardableResult public mutating func removeSection(at index: Int) -> Section<Item> {
    checkSection(index)
    let deleted = paths(inSection: index)
    let section = snapshot.removeSection(at: index)
    takenIDs?.remove(section.id)
    record(Changes(deletedSections: [index], deletedItems: deleted))
    return section
  }

  /// Moves a section with its rows. `target` is its index after the move.
  ///
  /// Complexity: O(log n).
  public mutating func moveSection(from source: Int, to target: Int) {
    checkSection(source)
    checkSection(target)
    guard source != target else { return }
    snapshot.moveSection(from: source, to: target)
    record(Changes(movedSections: [SectionMove(from: source, to: target)]))
  }

  /// Renames a section. It stays the same section: its id does not change.
  ///
  /// Complexity: O(log n).
  public mutating func renameSection(at index: Int, to name: String) {
    retitle(index, \.name, name)
  }

  /// Sets the text above the rows of a section; nil for its name.
  ///
  /// Complexity: O(log n).
  public mutating func setHeader(_ header: String?, ofSection index: Int) {
    retitle(index, \.header, header)
  }

  /// Sets the text below the rows of a section; nil for none.
  ///
  /// Complexity: O(log n).
  public mutating func setFooter(_ footer: String?, ofSection index: Int) {
    retitle(index, \.footer, footer)
  }

  /// Removes everything: no section is left.
  ///
  /// Complexity: O(n).
  public mutating func clear() {
    let changes = Changes(deletedSections: Array(snapshot.indices), deletedItems: Array(snapshot.paths))
    snapshot = Snapshot()
    takenIDs?.removeAll()
    record(changes)
  }

  /// Replaces the whole list.
  ///
  /// The difference is exact if items are identifiable and equatable. Otherwise it is as exact as the items allow: rows
  /// are paired by id, or by value if they are hashable. If they are neither, the rows between those that are equal at
  /// a section's two ends are replaced.
  ///
  /// Complexity: that of ``Snapshot/changes(from:)``; O(n) if rows are neither identifiable nor hashable.
  public mutating func replace(with other: Snapshot<Item>) {
    let old = snapshot
    guard !old.isIdentical(to: other) else { return }
    snapshot = other
    takenIDs = nil  // collected again with the next name
    record(.unknown { AutomaticDifference.changes(from: old, to: other) })
  }

  private mutating func retitle<Title: Equatable>(
    _ index: Int, _ title: WritableKeyPath<Section<Item>, Title>, _ value: Title
  ) {
    checkSection(index)
    guard snapshot[index][keyPath: title] != value else { return }
    snapshot.updateSection(at: index) { $0[keyPath: title] = value }
    record(Changes(updatedSections: [SectionMove(from: index, to: index)]))
  }

  private func paths(inSection index: Int) -> [ItemPath] {
    snapshot[index].items.indices.map { ItemPath(section: index, item: $0) }
  }
}
