public import DataSources
public import RowModel

/// Operations on the rows of an entity, compiled where its type is known.
///
/// The controller's own code is compiled once for all entities, where each step of a loop over a million rows costs
/// several times as much. So these loops are compiled in the code that makes a controller.
@usableFromInline
struct EntityOperations<E: Entity>: Sendable {
  /// Whether two rows are equal. They are passed by address, see `RowMatching`.
  @usableFromInline typealias Equality = @Sendable (UnsafePointer<E>, UnsafePointer<E>) -> Bool

  /// Creates the storage for the rows of a list.
  @usableFromInline let makeStorage: @Sendable () -> (storage: RowStorage<E>, rows: RowOperations)
  /// The difference between two lists. Only the given rows may have changed.
  @usableFromInline let changes:
    @Sendable (_ old: Snapshot<E>, _ new: Snapshot<E>, _ haveEqualContent: ((E, E) -> Bool)?) -> Changes
  /// Whether two rows can be compared.
  @usableFromInline let canCompare: Bool

  @inlinable
  init(areEqual: Equality?) {
    makeStorage = {
      let storage = RowStorage<E>()
      return (storage, RowOperations(storage, areEqual: areEqual))
    }
    changes = { old, new, haveEqualContent in
      if let haveEqualContent { return new.changes(from: old, by: haveEqualContent) }
      return new.difference(from: old, where: areEqual ?? { _, _ in false })
    }
    canCompare = areEqual != nil
  }

  /// The difference between two lists whose rows can't be compared. Those that a composition of differences has as
  /// updated or inserted may have changed, and no others.
  func changes(_ old: Snapshot<E>, _ new: Snapshot<E>, composed: Changes) -> Changes {
    let touched = Set((composed.updatedItems.map(\.to) + composed.insertedItems).map { new[$0].id })
    return changes(old, new) { _, row in !touched.contains(row.id) }
  }

  /// The operations for a type about which nothing more is known; whether it is equatable is found out at run time.
  @inlinable
  static func general() -> EntityOperations { EntityOperations(areEqual: DynamicEquality<E>.find()) }
}

extension EntityOperations where E: Equatable {
  /// The operations for a type that is known to be equatable.
  @inlinable
  static func equatable() -> EntityOperations { EntityOperations(areEqual: { $0.pointee == $1.pointee }) }
}

/// Equality for a type about which nothing is known at compile time.
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
