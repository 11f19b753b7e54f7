/// What one commit changed in the observed tables.
///
/// ```swift
/// func items(in commit: Commit) -> [Int64] {
///   if case .rowIDs(let ids)? = commit.changes["item"] { ids } else { [] }
/// }
/// ```
///
/// It may report too much and never too little: a row that was changed and changed back is included, and so is one that
/// a savepoint undid. Read the rows to see their current content.
public struct Commit: Sendable {
  /// The commit's number in the order in which this `Database` reports commits. Each is larger than the one before.
  public let sequence: UInt64
  /// Whether another connection than this `Database` made it: another library in this process, or another process.
  /// Several commits of others may be reported as one.
  public let isForeign: Bool
  /// The tables that it touched, by the names under which they are observed, each with the keys of its rows.
  ///
  /// Two tables whose names differ only in how letters are composed are equal names in Swift; they are reported
  /// together.
  public let changes: [String: DirtyKeys]

  package init(sequence: UInt64, isForeign: Bool, changes: [String: DirtyKeys]) {
    self.sequence = sequence
    self.isForeign = isForeign
    self.changes = changes
  }

  /// The same commit with the changes of some tables only.
  package func limited(to tables: Set<String>) -> Commit {
    if changes.keys.allSatisfy(tables.contains) { return self }
    return Commit(sequence: sequence, isForeign: isForeign, changes: changes.filter { tables.contains($0.key) })
  }
}
