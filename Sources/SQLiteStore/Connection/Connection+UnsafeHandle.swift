extension Connection {
  /// Calls `body` with SQLite's own handle, for what has no wrapper here. The handle is valid inside `body`. Remove any
  /// hook that you set, and don't close the handle or use it on another thread.
  ///
  /// ```swift
  /// func initialize(_ handle: OpaquePointer) {}  // calls what a library in C offers for SQLite
  /// try database.write { c in try c.withUnsafeHandle(initialize) }
  /// ```
  ///
  /// Writes through the handle are reported to observers too. A session or a preupdate hook of your own works too: from
  /// then on the database captures changes with temporary triggers. A commit during which its own hook was missing is
  /// reported as a change of everything. The same applies if the handle was lent before there was an observer. With
  /// triggers, each commit in which the handle was lent is reported as a change of everything, because a blob that is
  /// written in place fires none.
  ///
  /// A setting made through the handle stays on this connection, except `recursive_triggers`, which is refused with
  /// `SQLITE_AUTH`. So are `ATTACH` and `DETACH`: `Database.attach(_:as:)` attaches a file to every connection and
  /// follows its commits. An authorizer is removed when `body` returns.
  public func withUnsafeHandle<T>(_ body: (OpaquePointer) throws -> T) throws -> T {
    try checkUsable()
    schemaWasTouched()  // the user may change the schema
    let author = statementGuard.author
    statementGuard.author = .userOfHandle
    defer {
      statementGuard.author = author
      guardStatements()
      resolveNamesAgain()
      whenHandleWasLent?()
    }
    return try body(handle)
  }
}
