/// A statement that has run.
public struct TraceEvent: Sendable {
  /// The statement's SQL.
  public let sql: String
  /// How long it took, from its first step to its reset.
  public let duration: Duration
}
