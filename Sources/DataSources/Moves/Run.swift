/// Consecutive elements that are consecutive, in the same order, in the old list and in the new one.
@usableFromInline struct Run: Equatable {
  /// The first one's index in the old list.
  @usableFromInline var old: Int
  /// The first one's index in the new list.
  @usableFromInline var new: Int
  /// How many there are.
  @usableFromInline var count: Int

  @inlinable init(old: Int, new: Int, count: Int) {
    self.old = old
    self.new = new
    self.count = count
  }
}
