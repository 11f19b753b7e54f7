extension Section {
  /// The rows of a section: a random access collection from 0.
  public struct Items: RandomAccessCollection, Sendable {
    var storage: ContiguousArray<Item>

    /// Makes rows from any sequence.
    public init(_ items: some Sequence<Item>) { storage = ContiguousArray(items) }

    /// Always 0.
    public var startIndex: Int { 0 }
    /// The number of rows.
    public var endIndex: Int { storage.count }
    /// The row at an index.
    public subscript(position: Int) -> Item {
      precondition(
        position >= 0 && position < storage.count, "row \(position) is out of range: there are \(storage.count) rows")
      return storage[position]
    }
  }
}
