extension Snapshot {
  /// Every row's path, in order. Sections without rows have none, and do not end it.
  @inlinable public var paths: Paths { Paths(base: self) }

  /// The path of the row at a position in the whole list; nil if not found.
  ///
  /// Complexity: O(log n).
  @inlinable public func path(atOffset offset: Int) -> ItemPath? {
    if offset < 0 || offset >= tree.weight { return nil }
    let place = tree.position(ofWeight: offset)
    return ItemPath(section: place.offset, item: place.rest)
  }

  /// The position in the whole list of the row at a path; nil if not found.
  ///
  /// ```swift
  /// let place = errands.snapshot.offset(of: ItemPath(section: 1, item: 0))  // the number of rows before it
  /// ```
  ///
  /// Complexity: O(log n).
  @inlinable public func offset(of path: ItemPath) -> Int? {
    if path.section < 0 || path.section >= tree.count || path.item < 0 { return nil }
    let rows = tree.withElement(at: path.section) { $0.rows.tree.count }
    return path.item < rows ? tree.weight(before: path.section) + path.item : nil
  }

  /// Begins to load what is needed to look at some rows and to edit the list there, so that the memory of all is loaded
  /// at the same time. Offsets outside the list are left out.
  @inlinable package func prefetch(atOffsets offsets: some Sequence<Int>) {
    var places: [(tree: CountedTree<UnitMeasure<Item>>, offset: Int)] = []
    for offset in offsets where offset >= 0 && offset < tree.weight {
      let place = tree.position(ofWeight: offset)
      tree.withElement(at: place.offset) { places.append(($0.rows.tree, place.rest)) }
    }
    CountedTree.prefetch(places)
  }

  /// The paths of all rows: a random access collection from 0.
  ///
  /// ```swift
  /// let paths: Snapshot<Errand>.Paths = errands.snapshot.paths
  /// print(paths.last as Any)
  /// ```
  public struct Paths: Sendable {
    @usableFromInline let base: Snapshot

    @inlinable init(base: Snapshot) { self.base = base }
  }

  @usableFromInline func failOutOfRange(row: Int) -> Never {
    fatalError("row \(row) is out of range: the list has \(numberOfItems) rows")
  }
}

extension Snapshot.Paths: RandomAccessCollection {
  /// Always 0.
  @inlinable public var startIndex: Int { 0 }

  /// The number of rows in all sections.
  @inlinable public var endIndex: Int { base.tree.weight }

  /// The path of the row at a position in the whole list.
  ///
  /// Complexity: O(log n).
  @inlinable public subscript(position: Int) -> ItemPath {
    guard let path = base.path(atOffset: position) else { base.failOutOfRange(row: position) }
    return path
  }

  @usableFromInline struct PathIterator: IteratorProtocol {
    @usableFromInline var sections: CountedTree<SectionMeasure<Item>>.Iterator
    @usableFromInline var place: ItemPath
    @usableFromInline var rows: Int

    @inlinable init(_ base: Snapshot) {
      sections = base.tree.makeIterator()
      place = ItemPath(section: -1, item: 0)
      rows = 0
    }

    @inlinable mutating func next() -> ItemPath? {
      while place.item >= rows {
        guard let section = sections.next() else { return nil }
        place = ItemPath(section: place.section + 1, item: 0)
        rows = section.rows.tree.count
      }
      defer { place.item += 1 }
      return place
    }
  }

  /// An iterator over the paths in order, in constant time each.
  @inlinable public func makeIterator() -> some IteratorProtocol<ItemPath> { PathIterator(base) }
}
