extension Database {
  /// Reads from a state of which exactly those commits of ours can be seen that have been told to `didCommit` when `noting` is
  /// called. So what was told and what is read belong together.
  ///
  /// Where a commit comes in between, `noting` is called again, for what was told since. Others' commits may be seen before they
  /// are told.
  package func readExactly<N, T>(noting: () -> N, _ body: (Connection, N) throws -> T) throws -> T {
    // In memory a read holds the writer; a read within a read has begun already.
    guard path != nil, readers?.heldByCurrentThread == nil else { return try read { try body($0, noting()) } }
    for _ in 0..<4 {
      guard let mark = feed.commitMark else {
        for _ in 0..<64 { Processor.pause() }
        continue
      }
      let result: T? = try read { connection in
        try connection.takeSnapshot()
        let noted = noting()
        return feed.commitMark == mark ? try body(connection, noted) : nil
      }
      if let result { return result }
    }
    // Commits follow each other too closely: the snapshot is taken while nobody writes.
    return try read { connection in
      let noted = try withoutWrites {
        try connection.takeSnapshot()
        return noting()
      }
      return try body(connection, noted)
    }
  }

  private func withoutWrites<T>(_ body: () throws -> T) throws -> T {
    if lane.isHeldByCurrentThread { return try body() }
    do throws(Lane.Refusal) {
      try lane.acquire(timeout: options.busyTimeout.nanoseconds)
    } catch {
      throw refusal(error)
    }
    defer { lane.release() }
    return try body()
  }
}

extension Connection {
  /// Has the transaction, which so far has only been announced, begin with the state of now.
  fileprivate func takeSnapshot() throws { _ = try internalInteger("PRAGMA schema_version") }
}
