extension Snapshot {
  /// All rows as one flat collection, in order.
  public var items: Items { Items(base: self) }

  /// The rows of all sections as one flat collection: a random access collection from 0.
  public struct Items: RandomAccessCollection, Sendable {
    let base: Snapshot

    /// Always 0.
    public var startIndex: Int { 0 }
    /// The number of rows in all sections.
    public var endIndex: Int { base.numberOfItems }
    /// The row at a position in the whole list.
    public subscript(position: Int) -> Item { base[base.paths[position]] }
  }
}
