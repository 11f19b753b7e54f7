extension Database {
  /// Reads from a state of which all commits of ours have been told to `didCommit` when `taking` is called, and no others can be
  /// seen.
  ///
  /// So what was told, which `taking` takes, and what is read belong together. It is called before the state is fixed, perhaps
  /// several times: whatever is told afterwards may not be in it. Others' commits may be seen before they are told.
  package func readExactly<T>(taking: () -> Void, _ body: (Connection) throws -> T) throws -> T {
    guard path != nil else {
      return try read { connection in
        taking()
        return try body(connection)
      }
    }
    for _ in 0..<4 {
      guard let mark = feed.commitMark else {
        for _ in 0..<64 { Processor.pause() }
        continue
      }
      if let result = try readBetweenCommits(mark, taking, body) { return result }
    }
    // Commits follow each other so closely that none was missed: the snapshot is taken while nobody writes.
    return try readAnew { connection in
      guard !lane.isHeldByCurrentThread else {
        taking()
        return try body(connection)
      }
      do throws(Lane.Refusal) {
        try lane.acquire(timeout: options.busyTimeout.nanoseconds)
      } catch {
        // A write that takes so long commits nothing meanwhile.
        let mark = feed.commitMark
        taking()
        try connection.takeSnapshot()
        guard let mark, feed.commitMark == mark else { throw refusal(error) }
        return try body(connection)
      }
      do {
        defer { lane.release() }
        taking()
        try connection.takeSnapshot()
      }
      return try body(connection)
    }
  }

  private func readBetweenCommits<T>(_ mark: Int, _ taking: () -> Void, _ body: (Connection) throws -> T) throws -> T? {
    try readAnew { connection in
      taking()
      try connection.takeSnapshot()
      guard feed.commitMark == mark else { return nil }
      return try body(connection)
    }
  }
}

extension Database {
  /// Reads what readers see while a write is under way, before it is committed. For who holds the lane: it waits for no reader,
  /// and is not led astray by a read that goes on around the write.
  package func readOldState<T>(_ body: (Connection) throws -> T) throws -> T {
    guard let file else { return try read(body) }
    let connection = try oldStateReader ?? ConnectionOpener(path: file, options: options).open(isReader: true)
    oldStateReader = connection
    connection.database = self
    var isSound = false
    defer {
      if !isSound {
        connection.close()
        oldStateReader = nil
      }
    }
    return try read(on: connection, Connection.uncancellable, &isSound, body)
  }
}

extension Connection {
  /// Has the transaction, which so far has only been announced, begin with the state of now.
  fileprivate func takeSnapshot() throws { snapshotSchema = try internalInteger("PRAGMA schema_version") }
}
