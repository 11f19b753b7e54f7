extension Snapshot: Equatable where Item: Equatable {
  /// Whether two lists have equal sections in the same order.
  public static func == (lhs: Snapshot, rhs: Snapshot) -> Bool { lhs.elementsEqual(rhs) }
}
