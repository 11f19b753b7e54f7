extension Snapshot {
  /// Every row's path, in order. Sections without rows have none, and do not end it.
  public var paths: Paths { Paths(base: self) }

  /// The paths of all rows: a random access collection from 0.
  public struct Paths: RandomAccessCollection, Sendable {
    let base: Snapshot

    /// Always 0.
    public var startIndex: Int { 0 }
    /// The number of rows in all sections.
    public var endIndex: Int { base.numberOfItems }
    /// The path of the row at a position in the whole list.
    public subscript(position: Int) -> ItemPath {
      guard let path = base.path(atOffset: position) else {
        preconditionFailure("row \(position) is out of range: there are \(base.numberOfItems) rows")
      }
      return path
    }
  }

  /// The path of the row at a position in the whole list, nil where there is none.
  public func path(atOffset offset: Int) -> ItemPath? {
    guard offset >= 0 else { return nil }
    var rest = offset
    for index in storage.indices {
      let rows = storage[index].items.count
      if rest < rows { return ItemPath(section: index, item: rest) }
      rest -= rows
    }
    return nil
  }

  /// The position in the whole list of the row at a path, nil where there is none.
  public func offset(of path: ItemPath) -> Int? {
    guard item(at: path) != nil else { return nil }
    return storage[..<path.section].reduce(path.item) { $0 + $1.items.count }
  }
}

extension Snapshot where Item: Identifiable {
  /// The path of the row with an id, nil where there is none; of several, the first.
  public func path(of id: Item.ID) -> ItemPath? {
    for section in storage.indices {
      if let item = storage[section].items.firstIndex(where: { $0.id == id }) {
        return ItemPath(section: section, item: item)
      }
    }
    return nil
  }
}
