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
  ///
  /// Two tables whose names differ only in how letters are composed, which are one name to Swift, are reported together.
  public let changes: [String: DirtyKeys]
}
