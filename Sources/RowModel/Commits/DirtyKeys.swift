/// The rows of a table that a commit touched: inserted, updated (under the old key and the new one) or deleted.
///
/// ```swift
/// func isExact(_ keys: DirtyKeys) -> Bool {
///   if case .everything(let reason) = keys { print(reason); return false }
///   return true
/// }
/// ```
public enum DirtyKeys: Hashable, Sendable {
  /// Row ids, ascending, each once: for every table with a row id.
  case rowIDs([Int64])
  /// Primary keys, in the order of the key's columns: for a WITHOUT ROWID table.
  case primaryKeys(Set<[Value]>)
  /// Any row may have changed.
  case everything(EverythingReason)

  /// The union of both.
  ///
  /// ```swift
  /// let both = DirtyKeys.rowIDs([1, 2]).union(.rowIDs([2, 7]))  // rowIDs([1, 2, 7])
  /// ```
  public func union(_ other: DirtyKeys) -> DirtyKeys {
    switch (self, other) {
    case (.everything, _): return self
    case (_, .everything): return other
    case (.rowIDs(let left), .rowIDs(let right)): return .rowIDs((left + right).sortedAndUnique())
    case (.primaryKeys(let left), .primaryKeys(let right)): return .primaryKeys(left.union(right))
    default: return .everything(.schemaChanged)  // one table has one kind of key, unless it was recreated in between
    }
  }
}

extension DirtyKeys: CustomStringConvertible, CustomDebugStringConvertible {
  /// As it is written in Swift, such as `rowIDs([1, 2])`.
  public var description: String {
    switch self {
    case .rowIDs(let ids): "rowIDs(\(ids))"
    case .primaryKeys(let keys): "primaryKeys(\(keys.map { "\($0)" }.sorted().joined(separator: ", ")))"
    case .everything(let reason): "everything(\(reason))"
    }
  }

  /// The same: it is what a dictionary of keys shows.
  public var debugDescription: String { description }
}

extension [Int64] {
  /// Ascending, each once. If they are so already, it costs one pass.
  package func sortedAndUnique() -> [Int64] {
    var isAscending = true
    for index in indices.dropFirst() where self[index - 1] >= self[index] {
      isAscending = false
      break
    }
    if isAscending { return self }
    var result = self
    result.sort()
    var end = 0
    for index in result.indices where index == 0 || result[index] != result[end - 1] {
      result[end] = result[index]
      end += 1
    }
    result.removeSubrange(end...)
    return result
  }
}
