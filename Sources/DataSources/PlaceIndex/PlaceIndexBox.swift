import FetchedResultsSupport

/// Holds the index that related snapshots share: a list and those made from it by editing.
@usableFromInline final class PlaceIndexBox: Sendable {
  /// The index for any item type, created on first use.
  private let index = Locked<AnyPlaceIndex?>(nil)

  @usableFromInline init() {}

  /// Runs `body` with the index, exclusively. It must not run the items' code, nor release a version of the list.
  @usableFromInline func withIndex<Result: Sendable>(_ body: (inout AnyPlaceIndex?) -> Result) -> Result {
    index.withLock { body(&$0) }
  }
}

/// An index whose type the box need not know.
@usableFromInline class AnyPlaceIndex: @unchecked Sendable {  // because it is used under the box's lock only
  @inlinable init() {}
}
