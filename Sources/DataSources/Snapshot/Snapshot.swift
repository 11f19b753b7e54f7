/// A sectioned list at one moment: a collection of sections, and rows by path.
///
/// A value: copying takes constant time, and a copy never changes with the original.
public struct Snapshot<Item: Sendable>: Sendable {
  var storage: [Section<Item>]

  /// Makes a list without sections.
  public init() { storage = [] }

  /// Makes a list of sections, in order.
  public init(_ sections: some Sequence<Section<Item>>) { storage = Array(sections) }

  /// The number of rows in all sections.
  public var numberOfItems: Int { storage.reduce(0) { $0 + $1.items.count } }

  /// The row at a path, which must lie in the list.
  public subscript(path: ItemPath) -> Item {
    check(path)
    return storage[path.section].items[path.item]
  }

  /// The row at a path, nil where there is none.
  public func item(at path: ItemPath) -> Item? {
    guard storage.indices.contains(path.section), storage[path.section].items.indices.contains(path.item) else {
      return nil
    }
    return storage[path.section].items[path.item]
  }

  func check(_ path: ItemPath) {
    precondition(
      path.section >= 0 && path.section < count, "path \(path) is out of range: there are \(count) sections")
    let rows = storage[path.section].items.count
    precondition(
      path.item >= 0 && path.item < rows,
      "path \(path) is out of range: section \(path.section) of \(count) has \(rows) rows")
  }
}

extension Snapshot: RandomAccessCollection {
  /// Always 0.
  public var startIndex: Int { 0 }
  /// The number of sections.
  public var endIndex: Int { storage.count }
  /// The section at an index.
  public subscript(position: Int) -> Section<Item> {
    precondition(
      position >= 0 && position < storage.count,
      "section \(position) is out of range: there are \(storage.count) sections")
    return storage[position]
  }
}
