import FetchedResultsSupport

/// Finds the rows of one version of a list by the hash of their id. It is moved from version to version.
///
/// A row's path changes with every insertion before it. So the index does not store paths, but the leaf that contains
/// the row, and the parent of every node. A path is computed from the leaf upwards, by adding the counts before it.
/// Moving to another version touches only what the two versions don't share, so a search after each small edit stays
/// cheap.
///
/// It runs none of the items' code, and trusts none of it: it removes exactly what it added, whatever the rows have
/// become. A row whose id or hash has changed since is not found; nothing worse happens.
@usableFromInline final class PlaceIndex<Item: Sendable & Identifiable>: AnyPlaceIndex, @unchecked Sendable {
  // because it is used under the box's lock only
  @usableFromInline typealias Rows = CountedTree<UnitMeasure<Item>>
  @usableFromInline typealias Sections = CountedTree<SectionMeasure<Item>>

  /// The hashes of a leaf's ids when it was added, and how many of the sections have it.
  @usableFromInline struct LeafRecord {
    @usableFromInline let hashes: [UInt32]
    @usableFromInline var occurrences: Int

    @inlinable init(hashes: [UInt32], occurrences: Int) {
      self.hashes = hashes
      self.occurrences = occurrences
    }
  }

  /// A leaf that may contain the row, and the path of its first row.
  @usableFromInline struct Candidate: @unchecked Sendable {
    // because the caller holds the version, which keeps the leaf alive
    @usableFromInline let leaf: Unmanaged<Rows.Node>
    @usableFromInline let start: ItemPath

    @inlinable init(leaf: Unmanaged<Rows.Node>, start: ItemPath) {
      self.leaf = leaf
      self.start = start
    }
  }

  /// The result of a query to the index.
  @usableFromInline enum Answer: Sendable {
    /// The leaves that may contain the row, in order.
    case leaves([Candidate])
    /// The index is at another version; a step from there leads to the requested one.
    case isAt(Sections)
  }

  /// The indexed version. All nodes below belong to it, and it keeps them alive.
  @usableFromInline var sections = Sections()
  @usableFromInline var leaves = Multimap<UInt32, Rows.Node>()
  @usableFromInline var records: [UnsafeMutableRawPointer: LeafRecord] = [:]
  @usableFromInline var parents = Multimap<UnsafeMutableRawPointer, Rows.Node>()
  /// For the root of a section's rows, the leaf that contains the section.
  @usableFromInline var owners = Multimap<UnsafeMutableRawPointer, Sections.Node>()
  @usableFromInline var sectionParents = Multimap<UnsafeMutableRawPointer, Sections.Node>()

  @inlinable override init() {}

  /// The leaves of a version of the list that may contain a row with a hash.
  @inlinable func answer(_ hash: UInt32, in version: Sections, after step: PlaceIndexStep<Item>?) -> Answer {
    if !version.isIdentical(to: sections) {
      guard let step, step.from.isIdentical(to: sections) else { return .isAt(sections) }
      take(step)
    }
    var candidates: [Candidate] = []
    leaves.forEach(hash) { leaf in
      guard let start = place(of: leaf, 0) else { return }
      candidates.append(Candidate(leaf: Unmanaged.passUnretained(leaf), start: start))
    }
    if candidates.count > 1 { candidates.sort { $0.start < $1.start } }
    return .leaves(candidates)
  }

  @inlinable func keepFirst(_ first: inout ItemPath?, _ path: ItemPath?) {
    guard let path else { return }
    first = Swift.min(first ?? path, path)
  }

  /// The first path of the element `index` of a node. A node that sections share has a path in each.
  @inlinable func place(of node: Rows.Node, _ index: Int) -> ItemPath? {
    let key = Unmanaged.passUnretained(node).toOpaque()
    var first: ItemPath?
    parents.forEach(key) { parent in
      guard let slot = parent.slot(of: node) else { return }
      keepFirst(&first, place(of: parent, index + parent.count(beforeSlot: slot)))
    }
    owners.forEach(key) { leaf in
      guard let slot = leaf.withLeafElements({ $0.firstIndex { $0.rows.tree.root === node } }) else { return }
      keepFirst(&first, ItemPath(section: offset(of: leaf) + slot, item: index))
    }
    return first
  }

  /// The number of sections before a node of the sections' tree.
  @inlinable func offset(of node: Sections.Node) -> Int {
    var offset = 0
    sectionParents.forEach(Unmanaged.passUnretained(node).toOpaque()) { parent in
      guard let slot = parent.slot(of: node) else { return }
      offset = parent.count(beforeSlot: slot) + self.offset(of: parent)
    }
    return offset
  }
}

/// Holds the index that related snapshots share: a list and those made from it by editing.
@usableFromInline final class PlaceIndexBox: Sendable {
  /// The index for any item type, created on first use.
  private let index = Locked<AnyPlaceIndex?>(nil)

  @usableFromInline init() {}

  /// Runs `body` with the index, exclusively. It must not run the items' code, nor release a version of the list.
  @usableFromInline func withIndex<Result: Sendable>(_ body: (inout AnyPlaceIndex?) -> Result) -> Result {
    index.withLock { body(&$0) }
  }
}

/// An index whose type the box need not know.
@usableFromInline class AnyPlaceIndex: @unchecked Sendable {  // because it is used under the box's lock only
  @inlinable init() {}
}
