/// A row in a snapshot's memory, and its path. The user of a reference must keep the snapshot alive.
@usableFromInline struct RowReference<Item> {
  @usableFromInline let pointer: UnsafePointer<Item>
  @usableFromInline let section: Int32
  @usableFromInline let item: Int32

  @inlinable init(pointer: UnsafePointer<Item>, section: Int, item: Int) {
    self.pointer = pointer
    self.section = Int32(section)
    self.item = Int32(item)
  }

  @inlinable var path: ItemPath { ItemPath(section: Int(section), item: Int(item)) }
}

extension Array {
  /// Reserves room for more elements, at least doubling the capacity, so that many calls cost no more than one.
  @inlinable mutating func reserveRoom(for more: Int) {
    if count + more > capacity { reserveCapacity(Swift.max(count + more, 2 * capacity)) }
  }

  /// Sorts the elements, unless they are in order already, which is usual.
  @inlinable mutating func sortByPath(_ path: (Element) -> ItemPath) {
    for index in indices.dropFirst() where path(self[index]) < path(self[index - 1]) {
      sort { path($0) < path($1) }
      return
    }
  }
}
