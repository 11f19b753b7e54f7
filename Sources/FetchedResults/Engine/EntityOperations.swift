public import DataSources
public import SQLiteStore

/// What is done with the rows of an entity, compiled where its type is known.
///
/// The controller's own code is not: it is compiled once for all entities, where each step of a loop over a million
/// rows costs several times as much. So the loops are here, made by whoever makes a controller.
@usableFromInline
struct EntityOperations<E: Entity>: Sendable {
  /// Whether two rows are equal. They are shown where they stand, see `RowMatching`.
  @usableFromInline typealias Equality = @Sendable (UnsafePointer<E>, UnsafePointer<E>) -> Bool

  /// Makes the place for the rows of a list.
  @usableFromInline let makeShelf: @Sendable () -> (shelf: Shelf<E>, rows: RowShelf)
  /// The difference between two lists, of whose rows the given ones may have changed.
  @usableFromInline let changes:
    @Sendable (_ old: Snapshot<E>, _ new: Snapshot<E>, _ haveEqualContent: ((E, E) -> Bool)?) -> Changes
  /// Whether two rows can be asked if they are equal.
  @usableFromInline let canCompare: Bool

  @inlinable
  init(areEqual: Equality?) {
    makeShelf = {
      let shelf = Shelf<E>()
      return (shelf, RowShelf(shelf, areEqual: areEqual))
    }
    changes = { old, new, haveEqualContent in
      if let haveEqualContent { return new.changes(from: old, by: haveEqualContent) }
      return new.difference(from: old, where: areEqual ?? { _, _ in false })
    }
    canCompare = areEqual != nil
  }

  /// Those of a type of which nothing more is known; whether it is equatable is found out now.
  @inlinable
  static func general() -> EntityOperations { EntityOperations(areEqual: DynamicEquality<E>.find()) }
}

extension EntityOperations where E: Equatable {
  /// Those of a type that is known to be equatable.
  @inlinable
  static func equatable() -> EntityOperations { EntityOperations(areEqual: { $0.pointee == $1.pointee }) }
}

/// Equality of a type of which nothing is known at compile time.
@usableFromInline
enum DynamicEquality<E> {
  @usableFromInline
  static func find() -> (@Sendable (UnsafePointer<E>, UnsafePointer<E>) -> Bool)? {
    guard let type = E.self as? any Equatable.Type else { return nil }
    return equality(type)
  }

  private static func equality<T: Equatable>(
    _: T.Type
  ) -> @Sendable (UnsafePointer<E>, UnsafePointer<E>) -> Bool {
    let compare = Comparison { left, right in
      guard let left = left as? T, let right = right as? T else { return false }
      return left == right
    }
    return { compare.call($0.pointee, $1.pointee) }
  }

  private struct Comparison: @unchecked Sendable {  // because it holds nothing but a type
    let call: (E, E) -> Bool
  }
}
