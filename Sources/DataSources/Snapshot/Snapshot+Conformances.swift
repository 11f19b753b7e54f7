extension Snapshot: RandomAccessCollection {
  /// Always 0.
  @inlinable public var startIndex: Int { 0 }

  /// The number of sections.
  @inlinable public var endIndex: Int { tree.count }

  /// The number of sections.
  @inlinable public var count: Int { tree.count }

  /// The section at an index.
  ///
  /// Complexity: O(log s) for s sections.
  @inlinable public subscript(position: Int) -> Section<Item> {
    if position < 0 || position >= tree.count { failOutOfRange(section: position) }
    return tree[position]
  }

  /// An iterator over the sections in order, in constant time each.
  @inlinable public func makeIterator() -> some IteratorProtocol<Section<Item>> { tree.makeIterator() }
}

extension Snapshot: Equatable where Item: Equatable {
  /// Whether two lists have equal sections in the same order.
  ///
  /// Complexity: O(n), and O(1) for copies of each other; sections that both share are skipped.
  public static func == (lhs: Snapshot, rhs: Snapshot) -> Bool {
    lhs.tree.isIdentical(to: rhs.tree) || (lhs.count == rhs.count && lhs.elementsEqual(rhs))
  }
}

extension Snapshot: Hashable where Item: Hashable {
  /// Hashes the sections.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(count)
    for section in self { hasher.combine(section) }
  }
}

extension Snapshot: Encodable where Item: Encodable {
  /// Writes the sections as an array.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.unkeyedContainer()
    for section in self { try container.encode(section) }
  }
}

extension Snapshot: Decodable where Item: Decodable {
  /// Reads an array of sections.
  public init(from decoder: any Decoder) throws {
    var container = try decoder.unkeyedContainer()
    var sections: [Section<Item>] = []
    while !container.isAtEnd { sections.append(try container.decode(Section<Item>.self)) }
    self.init(sections)
  }
}

extension Snapshot: CustomStringConvertible {
  /// The sections with their rows, one after the other.
  public var description: String { "[" + map(\.description).joined(separator: "; ") + "]" }
}
