extension Database {
  /// Reads from a state of which all commits of ours have been told to `didCommit`, and no others can be seen.
  ///
  /// So what was told and what is read belong together. Others' commits may be seen before they are told.
  package func readExactly<T>(_ body: (Connection) throws -> T) throws -> T {
    guard path != nil, readers?.heldByCurrentThread == nil else { return try read(body) }
    for _ in 0..<4 {
      guard let mark = feed.commitMark else {
        for _ in 0..<64 { Processor.pause() }
        continue
      }
      if let result = try readBetweenCommits(mark, body) { return result }
    }
    // Commits follow each other so closely that none was missed: the snapshot is taken while nobody writes.
    guard !lane.isHeldByCurrentThread else { return try read(body) }
    return try read { connection in
      do throws(Lane.Refusal) {
        try lane.acquire(timeout: options.busyTimeout.nanoseconds)
      } catch {
        throw refusal(error)
      }
      do {
        defer { lane.release() }
        try connection.takeSnapshot()
      }
      return try body(connection)
    }
  }

  private func readBetweenCommits<T>(_ mark: Int, _ body: (Connection) throws -> T) throws -> T? {
    try read { connection in
      try connection.takeSnapshot()
      guard feed.commitMark == mark else { return nil }
      return try body(connection)
    }
  }
}

extension Connection {
  /// Has the transaction, which so far has only been announced, begin with the state of now.
  fileprivate func takeSnapshot() throws { _ = try internalInteger("PRAGMA schema_version") }
}
