/// Holds the index that a family of snapshots shares: a list and those made from it by editing.
@usableFromInline final class PlaceIndexBox: Sendable {
  /// The index of whatever item type, made when first asked.
  private let index = Locked<AnyPlaceIndex?>(nil)

  @usableFromInline init() {}

  /// Runs `body` with the index, alone. It must not run the items' code, nor release a version of the list.
  @usableFromInline func withIndex<Result: Sendable>(_ body: (inout AnyPlaceIndex?) -> Result) -> Result {
    index.withLock { body(&$0) }
  }
}

/// An index of a type that the box need not know.
@usableFromInline class AnyPlaceIndex: @unchecked Sendable {  // because it is used under the box's lock only
  @inlinable init() {}
}
