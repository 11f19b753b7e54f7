/// What one commit changed in the tables that somebody observes.
///
/// What it says may be too much and is never too little: a row that was changed and changed back is there, and so is one
/// that a savepoint undid. Read the rows to see what became of them.
public struct Commit: Sendable {
  /// Who committed.
  public enum Origin: Hashable, Sendable {
    /// This `Database`.
    case local
    /// Another connection: another library in this process, or another process. Several of its commits may be
    /// reported as one.
    case foreign
  }

  /// The commit's place in the order in which this `Database` reports commits; each is larger than the one before.
  public let sequence: UInt64
  /// Who committed.
  public let origin: Origin
  /// The tables that it touched, by the names under which they are observed, each with the keys of its rows.
  public let changes: [String: DirtyKeys]
}

/// The rows of a table that a commit touched: inserted, updated (under the old key and the new one) or deleted.
public enum DirtyKeys: Hashable, Sendable {
  /// Row ids, ascending and each once: for every table but the following.
  case rowIDs([Int64])
  /// Primary keys, in the order of the key's columns: for a WITHOUT ROWID table.
  case primaryKeys(Set<[Value]>)
  /// Any row may have changed.
  case everything(EverythingReason)

  /// Both together.
  public func union(_ other: DirtyKeys) -> DirtyKeys {
    switch (self, other) {
    case (.everything, _): return self
    case (_, .everything): return other
    case (.rowIDs(let left), .rowIDs(let right)): return .rowIDs((left + right).sortedAndUnique())
    case (.primaryKeys(let left), .primaryKeys(let right)): return .primaryKeys(left.union(right))
    default: return .everything(.schemaChanged)  // one table has one kind of key, unless it was made anew in between
    }
  }
}

/// Why a commit reports everything instead of keys.
public enum EverythingReason: String, Hashable, Sendable {
  /// Tables, indices or other parts of the schema were made, changed or dropped, perhaps by VACUUM.
  case schemaChanged
  /// More rows changed than `Options.captureLimit`.
  case overflow
  /// Another connection committed, and no history is recorded for the table.
  case foreignCommit
  /// Another connection committed so much that the recorded history does not reach back.
  case historyGap
  /// The table is a view or a virtual table, whose changes SQLite does not report.
  case notATable
  /// The observation began while the commit was under way.
  case observationBegan
}

extension [Int64] {
  /// Ascending and each once; at no more than the cost of a look when it is so already.
  func sortedAndUnique() -> [Int64] {
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
