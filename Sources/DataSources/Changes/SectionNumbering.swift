/// The new indices of the old list's sections, and the reverse, from a difference alone.
///
/// Sections that are neither deleted nor moved keep their order, and fill the places that are neither inserted nor
/// moved to.
package struct SectionNumbering {
  private let leaving: [Int]
  private let arriving: [Int]
  private let newOfMoved: [Int: Int]
  private let oldOfMoved: [Int: Int]

  package init(_ changes: Changes) {
    leaving = (changes.deletedSections + changes.movedSections.map(\.from)).sorted()
    arriving = (changes.insertedSections + changes.movedSections.map(\.to)).sorted()
    newOfMoved = Dictionary(changes.movedSections.map { ($0.from, $0.to) }, uniquingKeysWith: { first, _ in first })
    oldOfMoved = Dictionary(changes.movedSections.map { ($0.to, $0.from) }, uniquingKeysWith: { first, _ in first })
  }

  /// The index in the new list of a section of the old one; nil if it is deleted.
  package func newIndex(of old: Int) -> Int? {
    if let new = newOfMoved[old] { return new }
    guard let rank = leaving.rankOutside(old) else { return nil }
    return arriving.elementOutside(rank)
  }

  /// The index in the old list of a section of the new one; nil if it is inserted.
  package func oldIndex(of new: Int) -> Int? {
    if let old = oldOfMoved[new] { return old }
    guard let rank = arriving.rankOutside(new) else { return nil }
    return leaving.elementOutside(rank)
  }
}
