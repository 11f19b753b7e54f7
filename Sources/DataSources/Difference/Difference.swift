/// Finds the difference between two snapshots.
///
/// First the sections' trees are compared, then the rows' trees of those sections that are in both lists but are not
/// the same object in memory. Each comparison skips the nodes that both trees share. What is left are the rows of the
/// few leaves that differ. They are paired by id: first within their section, then anywhere. Of the rows that stay in a
/// section, a heaviest increasing sequence stays in place; each shared piece weighs as much as it has rows.
@usableFromInline struct Difference<Matching: RowMatching> {
  @usableFromInline typealias Item = Matching.Item
  @usableFromInline typealias Rows = CountedTree<UnitMeasure<Item>>
  @usableFromInline typealias Sections = CountedTree<SectionMeasure<Item>>

  @usableFromInline let matching: Matching
  @usableFromInline var changes = Changes()
  @usableFromInline var pairing = Pairing()
  /// Rows of the old list that have no partner in their section.
  @usableFromInline var leftOld: [RowReference<Item>] = []
  /// Rows of the new list that have no partner in their section.
  @usableFromInline var leftNew: [RowReference<Item>] = []
  /// The rows of the current section, kept to reuse their memory.
  @usableFromInline var oldRows: [RowReference<Item>] = []
  @usableFromInline var newRows: [RowReference<Item>] = []
  @usableFromInline var sharedRuns: [Run] = []

  @inlinable init(_ matching: Matching) { self.matching = matching }

  /// The difference from one list to another.
  @inlinable static func between(_ old: Snapshot<Item>, _ new: Snapshot<Item>, _ matching: Matching) -> Changes {
    if old.tree.isIdentical(to: new.tree) { return Changes() }
    return withExtendedLifetime((old, new)) {
      var difference = Difference(matching)
      difference.compareSections(old.tree, new.tree)
      difference.pairAcrossSections()
      return difference.changes
    }
  }
}

/// A row in a snapshot's memory, and its path. The user of a reference must keep the snapshot alive.
@usableFromInline struct RowReference<Item> {
  @usableFromInline let pointer: UnsafePointer<Item>
  @usableFromInline let section: Int32
  @usableFromInline let item: Int32

  @inlinable init(pointer: UnsafePointer<Item>, section: Int, item: Int) {
    self.pointer = pointer
    self.section = Int32(section)
    self.item = Int32(item)
  }

  @inlinable var path: ItemPath { ItemPath(section: Int(section), item: Int(item)) }
}

extension Array {
  /// Reserves room for more elements, at least doubling the capacity, so that many calls cost no more than one.
  @inlinable mutating func reserveRoom(for more: Int) {
    if count + more > capacity { reserveCapacity(Swift.max(count + more, 2 * capacity)) }
  }

  /// Sorts the elements, unless they are in order already, which is usual.
  @inlinable mutating func sortByPath(_ path: (Element) -> ItemPath) {
    for index in indices.dropFirst() where path(self[index]) < path(self[index - 1]) {
      sort { path($0) < path($1) }
      return
    }
  }
}
