public import DataSources
public import SQLiteStore

/// What is done with every row of a list, compiled where the entity's type is known.
///
/// The controller's own code is not: it is compiled once for all entities, where each step of a loop over a million
/// rows costs several times as much. So the loops are here, made by whoever makes a controller.
@usableFromInline
struct EntityOperations<E: Entity>: Sendable {
  /// Puts a row behind the others.
  @usableFromInline let append: @Sendable (_ row: Row, _ items: inout ContiguousArray<E>) throws -> Void
  /// The rows in a range, as a section's.
  @usableFromInline let section:
    @Sendable (_ title: Section<E>, _ items: ContiguousArray<E>, _ range: Range<Int>) -> Section<E>
  /// The difference between two lists, of whose rows the given ones may have changed.
  @usableFromInline let changes:
    @Sendable (_ old: Snapshot<E>, _ new: Snapshot<E>, _ haveEqualContent: ((E, E) -> Bool)?) -> Changes
  /// Takes a row of a batch into the list: before what stands at the path, or in its place.
  @usableFromInline let insert:
    @Sendable (_ list: inout Snapshot<E>, _ path: ItemPath, _ items: ContiguousArray<E>, _ row: Int) -> Void
  @usableFromInline let replace:
    @Sendable (_ list: inout Snapshot<E>, _ path: ItemPath, _ items: ContiguousArray<E>, _ row: Int) -> Void
  @usableFromInline let remove: @Sendable (_ list: inout Snapshot<E>, _ path: ItemPath) -> Void
  /// Whether the row at a path and one of a batch have the same id and the same content; the latter as far as it can be asked.
  @usableFromInline let isSame:
    @Sendable (_ list: Snapshot<E>, _ path: ItemPath, _ items: ContiguousArray<E>, _ row: Int) -> (
      id: Bool, content: Bool
    )
  /// Where the row of a number in the whole list is, and how many there are in its section.
  @usableFromInline let path: @Sendable (_ list: Snapshot<E>, _ offset: Int) -> (path: ItemPath, count: Int)?
  /// The first row whose id another one before it has; nil where there is none.
  @usableFromInline let firstRepeated: @Sendable (ContiguousArray<E>) -> Int?
  /// Whether two rows are equal, where that can be asked.
  @usableFromInline let areEqual: (@Sendable (E, E) -> Bool)?

  @inlinable
  init(areEqual: (@Sendable (E, E) -> Bool)?) {
    append = { row, items in items.append(try E(row: row)) }
    section = { title, items, range in
      items.withUnsafeBufferPointer { buffer in
        Section(id: title.id, name: title.name, items: UnsafeBufferPointer(rebasing: buffer[range]))
      }
    }
    changes = { old, new, haveEqualContent in
      if let haveEqualContent { return new.changes(from: old, by: haveEqualContent) }
      if let areEqual { return new.changes(from: old, by: { areEqual($0, $1) }) }
      return new.changes(from: old, by: { _, _ in false })
    }
    insert = { list, path, items, row in list.insert(items[row], at: path) }
    replace = { list, path, items, row in list.replace(at: path, with: items[row]) }
    remove = { list, path in list.remove(at: path) }
    isSame = { list, path, items, row in
      let old = list[path]
      return (old.id == items[row].id, areEqual.map { $0(old, items[row]) } ?? false)
    }
    path = { list, offset in
      list.path(atOffset: offset).map { ($0, list[$0.section].items.count) }
    }
    firstRepeated = { items in
      var seen = Set<E.ID>(minimumCapacity: items.count)
      for index in items.indices where !seen.insert(items[index].id).inserted { return index }
      return nil
    }
    self.areEqual = areEqual
  }

  /// Those of a type of which nothing more is known; whether it is equatable is found out now.
  @inlinable
  static func general() -> EntityOperations { EntityOperations(areEqual: DynamicEquality<E>.find()) }
}

extension EntityOperations where E: Equatable {
  /// Those of a type that is known to be equatable.
  @inlinable
  static func equatable() -> EntityOperations { EntityOperations(areEqual: { $0 == $1 }) }
}

/// Equality of a type of which nothing is known at compile time.
@usableFromInline
enum DynamicEquality<E> {
  @usableFromInline
  static func find() -> (@Sendable (E, E) -> Bool)? {
    guard let type = E.self as? any Equatable.Type else { return nil }
    return equality(type)
  }

  private static func equality<T: Equatable>(_: T.Type) -> @Sendable (E, E) -> Bool {
    let compare = Comparison { left, right in
      guard let left = left as? T, let right = right as? T else { return false }
      return left == right
    }
    return { compare.call($0, $1) }
  }

  private struct Comparison: @unchecked Sendable {  // because it holds nothing but a type
    let call: (E, E) -> Bool
  }
}
