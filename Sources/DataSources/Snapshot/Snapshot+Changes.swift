extension Snapshot where Item: Identifiable & Equatable {
  /// The difference that leads from another list to this one. See ``Changes`` for what it says exactly.
  ///
  /// Any two lists will do. Between a list and one made from it by editing, only what they don't share is looked at.
  /// Moves are as few as can be, and found without ever comparing every row with every other.
  ///
  /// An id that stands more than once is a caller's mistake that does no harm: its rows are paired in order of
  /// appearance, first within each section that stays, then what is left of them over the whole list, and rows in memory
  /// that both lists share are paired with themselves before all others. Sections of the same id are paired in order of
  /// appearance likewise.
  ///
  /// Complexity: O(k log n) for lists that share all but k rows; O(n) for unrelated ones, on average, and
  /// O(m log m) for m rows that are out of order.
  @inlinable public func changes(from old: Snapshot) -> Changes {
    Difference.between(old, self, NaturalMatching())
  }
}

extension Snapshot where Item: Identifiable {
  /// The difference that leads from another list to this one, where two rows of the same id have the same content when
  /// `haveEqualContent` says so.
  ///
  /// For rows that can't be compared, or whose changes are known: the function is asked only about rows in the parts that
  /// the two lists don't share.
  ///
  /// Complexity: as for ``changes(from:)``.
  @inlinable public func changes(
    from old: Snapshot, by haveEqualContent: (_ old: Item, _ new: Item) -> Bool
  ) -> Changes {
    withoutActuallyEscaping(haveEqualContent) { haveEqualContent in
      difference(from: old) { haveEqualContent($0.pointee, $1.pointee) }
    }
  }

  /// The same with a function that looks at rows where they stand, so that no references are counted to hand them over.
  @inlinable package func difference(
    from old: Snapshot, where haveEqualContent: (_ old: UnsafePointer<Item>, _ new: UnsafePointer<Item>) -> Bool
  ) -> Changes {
    withoutActuallyEscaping(haveEqualContent) { Difference.between(old, self, IdentifiedMatching($0)) }
  }
}

extension Snapshot {
  /// The difference that leads from another list to this one, where `identify` says what makes a row the same row, and
  /// two rows of the same id have the same content when `haveEqualContent` says so.
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
