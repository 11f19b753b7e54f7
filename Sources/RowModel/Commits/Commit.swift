/// What one commit changed in the observed tables.
///
/// It may report too much and never too little: a row that was changed and changed back is included, and so is one that
/// a savepoint undid. Read the rows to see their current content.
public struct Commit: Sendable {
  /// Who made a commit.
  public enum Origin: Hashable, Sendable {
    /// This `Database`.
    case local
    /// Another connection: another library in this process, or another process. Several of its commits may be
    /// reported as one.
    case foreign
  }

  /// The commit's number in the order in which this `Database` reports commits. Each is larger than the one before.
  public let sequence: UInt64
  /// Who made the commit.
  public let origin: Origin
  /// The tables that it touched, by the names under which they are observed, each with the keys of its rows.
  ///
  /// Two tables whose names differ only in how letters are composed are equal names in Swift; they are reported
  /// together.
  public let changes: [String: DirtyKeys]

  package init(sequence: UInt64, origin: Origin, changes: [String: DirtyKeys]) {
    self.sequence = sequence
    self.origin = origin
    self.changes = changes
  }

  /// The same commit with the changes of some tables only.
  package func limited(to tables: Set<String>) -> Commit {
    if changes.keys.allSatisfy(tables.contains) { return self }
    return Commit(sequence: sequence, origin: origin, changes: changes.filter { tables.contains($0.key) })
  }
}
