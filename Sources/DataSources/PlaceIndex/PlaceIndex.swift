/// Where the rows of one version of a list are, by id; it follows the list from version to version.
///
/// A row's place changes with every insertion before it, so the index does not hold places but the leaf that has the
/// row, and for every node the one above. A place is the way up from the leaf, adding what stands before. Going to
/// another version touches what the two versions don't share, so asking after each small edit stays cheap.
@usableFromInline final class PlaceIndex<Item: Sendable & Identifiable>: AnyPlaceIndex, @unchecked Sendable {
  // because it is used under the box's lock only
  @usableFromInline typealias Rows = CountedTree<UnitMeasure<Item>>
  @usableFromInline typealias Sections = CountedTree<SectionMeasure<Item>>

  /// The version that is indexed. All nodes below belong to it, and it keeps them alive.
  @usableFromInline var sections = Sections()
  @usableFromInline var leaves = Multimap<Item.ID, Rows.Node>()
  @usableFromInline var parents = Multimap<UnsafeMutableRawPointer, Rows.Node>()
  /// For the root of a section's rows, the leaf that has the section.
  @usableFromInline var owners = Multimap<UnsafeMutableRawPointer, Sections.Node>()
  @usableFromInline var sectionParents = Multimap<UnsafeMutableRawPointer, Sections.Node>()

  @inlinable override init() {}

  /// The first place of a row in a version of the list.
  @inlinable func path(of id: Item.ID, in version: Sections) -> ItemPath? {
    if !version.isIdentical(to: sections) { go(to: version) }
    var first: ItemPath?
    leaves.forEach(id) { leaf in
      guard let index = leaf.withLeafElements({ $0.firstIndex { $0.id == id } }) else { return }
      keepFirst(&first, place(of: leaf, index))
    }
    return first
  }

  @inlinable func keepFirst(_ first: inout ItemPath?, _ path: ItemPath?) {
    guard let path else { return }
    first = Swift.min(first ?? path, path)
  }

  /// The first place of the element `index` of a node. A node that sections share has a place in each.
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
