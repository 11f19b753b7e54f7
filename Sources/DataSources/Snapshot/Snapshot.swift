/// A sectioned list at one moment: a collection of sections, with access to rows by path.
///
/// A value: copying takes constant time, and a copy never changes with the original, on any thread. It consists of
/// persistent trees. So the versions of a list share everything but what differs, and the cost of a difference between
/// two versions depends on what differs, not on the length of the list.
///
/// ```swift
/// let old = Snapshot([
///   Section(id: "errands", name: "Errands", items: ["milk", "stamps"]),
///   Section(id: "career", name: "Career", items: ["letter"]),
/// ])
/// var new = old
/// new.move(from: ItemPath(section: 0, item: 1), to: ItemPath(section: 1, item: 0))
/// for path in new.paths { print(new[path.section].name, new[path]) }
/// let changes = new.changes(from: old, identifiedBy: { $0 }, by: ==)
/// print(changes)  // rows: moved [0, 1] → [1, 0]
/// ```
///
/// Items should be values. A snapshot holds only references to objects: an object that changes, changes in all
/// snapshots, and no comparison can find its earlier state. A change made through ``EditableDataSource/update(at:_:)``
/// is always reported: an edit that changes an object and changes it back is still an update. If an object's id
/// changes, ``path(of:)`` may not find it.
public struct Snapshot<Item: Sendable>: Sendable {
  @usableFromInline package var tree: CountedTree<SectionMeasure<Item>>
  /// The index of `path(of:)`, for this list and those made from it by editing.
  @usableFromInline var places: PlaceIndexBox

  /// Creates a list without sections.
  @inlinable public init() {
    tree = CountedTree()
    places = PlaceIndexBox()
  }

  /// Creates a list of sections, in order.
  ///
  /// Complexity: O(s) for s sections, however many rows they have, and O(1) for another list.
  @inlinable public init(_ sections: some Sequence<Section<Item>>) {
    if let list = sections as? Snapshot {
      self = list
    } else {
      tree = CountedTree(sections)
      places = PlaceIndexBox()
    }
  }

  /// The sections, which are the list itself: `for section in list` is the same.
  @inlinable public var sections: Snapshot { self }

  /// The number of rows in all sections.
  @inlinable public var numberOfItems: Int { tree.weight }

  /// The row at a path, which must be in the list.
  ///
  /// Complexity: O(log n).
  @inlinable public subscript(path: ItemPath) -> Item {
    if path.section < 0 || path.section >= tree.count { failOutOfRange(path) }
    return tree.withElement(at: path.section) { section in
      if path.item < 0 || path.item >= section.rows.tree.count { failOutOfRange(path) }
      return section.rows.tree[path.item]
    }
  }

  /// The row at a path; nil if not found.
  ///
  /// Complexity: O(log n).
  @inlinable public func item(at path: ItemPath) -> Item? {
    if path.section < 0 || path.section >= tree.count { return nil }
    return tree.withElement(at: path.section) { section in
      path.item < 0 || path.item >= section.rows.tree.count ? nil : section.rows.tree[path.item]
    }
  }

  // A failed precondition prints no message in a release build; these do.

  @usableFromInline func failOutOfRange(_ path: ItemPath) -> Never {
    if !indices.contains(path.section) {
      fatalError("path \(path) is out of range: the list has \(count) sections")
    }
    fatalError(
      "path \(path) is out of range: section \(path.section) of \(count) has \(self[path.section].items.count) rows")
  }

  @usableFromInline func failOutOfRange(section: Int) -> Never {
    fatalError("section \(section) is out of range: the list has \(count) sections")
  }
}
