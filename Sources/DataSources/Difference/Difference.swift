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
    if old.sections.isIdentical(to: new.sections) { return Changes() }
    return withExtendedLifetime((old, new)) {
      var difference = Difference(matching)
      difference.compareSections(old.sections, new.sections)
      difference.pairAcrossSections()
      return difference.changes
    }
  }
}
