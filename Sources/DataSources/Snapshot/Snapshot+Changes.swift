extension Snapshot where Item: Identifiable & Equatable {
  /// The difference from another list to this one. See ``Changes`` for its exact meaning.
  ///
  /// Any two lists can be compared. Between a list and one made from it by editing, only the parts that they don't
  /// share are compared. There are as few moves as possible, and they are found without comparing every row with every
  /// other.
  ///
  /// An id that occurs more than once is a caller's mistake, but does no harm. Its rows are paired in order of
  /// appearance, first within each section that stays, then the remaining ones over the whole list; rows in memory that
  /// both lists share are paired with themselves first. Sections with the same id are paired in order of appearance
  /// too.
  ///
  /// Complexity: O(k log n) for lists that share all but k rows; O(n) for unrelated ones, on average, and O(m log m)
  /// for m rows that are out of order.
  @inlinable public func changes(from old: Snapshot) -> Changes {
    Difference.between(old, self, NaturalMatching())
  }
}

extension Snapshot where Item: Identifiable {
  /// The difference from another list to this one. Two rows with the same id have the same content if
  /// `haveEqualContent` says so.
  ///
  /// For rows that can't be compared, or whose changes are known: the function is called only for rows in the parts
  /// that the two lists don't share.
  ///
  /// Complexity: as for ``changes(from:)``.
  @inlinable public func changes(
    from old: Snapshot, by haveEqualContent: (_ old: Item, _ new: Item) -> Bool
  ) -> Changes {
    withoutActuallyEscaping(haveEqualContent) { haveEqualContent in
      difference(from: old) { haveEqualContent($0.pointee, $1.pointee) }
    }
  }

  /// The same with a function that gets the addresses of rows, so that no references are counted to pass them.
  @inlinable package func difference(
    from old: Snapshot, where haveEqualContent: (_ old: UnsafePointer<Item>, _ new: UnsafePointer<Item>) -> Bool
  ) -> Changes {
    withoutActuallyEscaping(haveEqualContent) { Difference.between(old, self, IdentifiedMatching($0)) }
  }
}

extension Snapshot {
  /// The difference from another list to this one. `identify` returns a row's identity, and two rows with the same
  /// identity have the same content if `haveEqualContent` says so.
  ///
  /// Complexity: as for ``changes(from:)``.
  @inlinable public func changes<ID: Hashable>(
    from old: Snapshot, identifiedBy identify: (Item) -> ID, by haveEqualContent: (_ old: Item, _ new: Item) -> Bool
  ) -> Changes {
    withoutActuallyEscaping(identify) { identify in
      withoutActuallyEscaping(haveEqualContent) { haveEqualContent in
        Difference.between(old, self, GivenMatching(identify: identify, compare: haveEqualContent))
      }
    }
  }
}
