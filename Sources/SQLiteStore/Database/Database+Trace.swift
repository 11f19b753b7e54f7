import CFetchedResultsSQLite

extension Database {
  /// Calls `handler` with every statement that any connection has run, and how long it took; nil ends the trace.
  ///
  /// ```swift
  /// try database.trace { sql, duration in print(duration, sql) }
  /// ```
  ///
  /// - Parameters:
  ///   - expanding: Whether the SQL includes the bound values, which costs time and may reveal what should not be
  ///     logged.
  ///   - handler: The closure to call, on the thread that has run the statement; nil ends the trace.
  public func trace(
    expanding: Bool = false, _ handler: (@Sendable (_ sql: String, _ duration: Duration) -> Void)?
  ) throws {
    try register("trace") { connection in
      connection.tracer = handler.map { Tracer(handler: $0, isExpanding: expanding) }
      guard let tracer = connection.tracer else {
        sqlite3_trace_v2(connection.handle, 0, nil, nil)
        return
      }
      sqlite3_trace_v2(
        connection.handle, UInt32(SQLITE_TRACE_PROFILE),
        { _, context, statement, time in
          if let context, let statement, let time {
            Unmanaged<Tracer>.fromOpaque(context).takeUnretainedValue()
              .report(OpaquePointer(statement), time.load(as: Int64.self))
          }
          return 0
        }, Unmanaged.passUnretained(tracer).toOpaque())
    }
  }
}

final class Tracer {
  private let handler: @Sendable (String, Duration) -> Void
  private let isExpanding: Bool

  init(handler: @escaping @Sendable (String, Duration) -> Void, isExpanding: Bool) {
    self.handler = handler
    self.isExpanding = isExpanding
  }

  func report(_ statement: OpaquePointer, _ nanoseconds: Int64) {
    var sql = sqlite3_sql(statement).map { String(cString: $0) } ?? ""
    if isExpanding, let expanded = sqlite3_expanded_sql(statement) {
      sql = String(cString: expanded)
      sqlite3_free(expanded)
    }
    handler(sql, .nanoseconds(nanoseconds))
  }
}
