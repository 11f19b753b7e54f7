extension Database {
  /// Reads from a state of which all commits can be seen that have been told to `didCommit` when `taking` is called.
  package func read<T>(
    _ access: Connection.Access = Connection.uncancellable, taking: () -> Void, _ body: (Connection) throws -> T
  ) throws -> T {
    // Several files are not fixed in one moment.
    if registrations.hasAttachments { return try readExactly(access, taking: taking, considering: {}, body) }
    return try readForList(access) { connection in
      taking()
      if path != nil { try connection.takeSnapshot() }
      return try body(connection)
    }
  }

  /// Reads from a state of which all commits of ours have been told to `didCommit` when `taking` is called, and no others can be
  /// seen than those that have been told when `considering` is called.
  ///
  /// So what was told and what is read belong together. `taking` is called before the state is fixed, perhaps several times.
  /// `considering` is called afterwards, and only where commits were made meanwhile: what has been told since may be in what is
  /// read, or not. No writer waits for this, as long as its commits do not take long. Others' commits may be seen before they are
  /// told.
  package func readExactly<T>(
    _ access: Connection.Access = Connection.uncancellable, taking: () -> Void, considering: () -> Void,
    _ body: (Connection) throws -> T
  ) throws -> T {
    guard path != nil, !lane.isHeldByCurrentThread else {
      return try readForList(access) { connection in
        taking()
        return try body(connection)
      }
    }
    for _ in 0..<4 {
      if let result = try readAmongCommits(access, taking, considering, body) { return result }
    }
    // Commits that take long follow each other closely: the state is fixed while nobody writes, which is quick against them.
    return try readForList(access) { connection in
      do throws(Lane.Refusal) {
        try lane.acquire(timeout: options.busyTimeout.nanoseconds, isCancelled: { access.isCancelled })
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

  private func readAmongCommits<T>(
    _ access: Connection.Access, _ taking: () -> Void, _ considering: () -> Void, _ body: (Connection) throws -> T
  ) throws -> T? {
    // One that is under way is mostly over at once, and then there is nothing to consider. With several files it must be over.
    feed.awaitCommit(for: registrations.hasAttachments ? 20_000_000 : 0)
    let mark = feed.commitMark
    return try readForList(access) { connection in
      taking()
      try connection.takeSnapshot()
      if mark == nil || feed.commitMark != mark {
        // A commit may be seen in one file and not in another.
        guard connection.attachedNames.isEmpty else { return nil }
        // With a rollback journal a commit may be waiting for this very read.
        guard feed.awaitCommit(for: options.journal == .wal ? 20_000_000 : 0) else { return nil }
        considering()
      }
      return try body(connection)
    }
  }
}

extension Database {
  /// Reads what readers see while a write is under way, before it is committed. For who holds the lane: it waits for no reader,
  /// and is not led astray by a read that goes on around the write.
  package func readOldState<T>(_ body: (Connection) throws -> T) throws -> T {
    guard let file else { return try read(body) }
    // With a rollback journal the file is locked from when a large transaction no longer fits into memory. The writer waits for nobody,
    // least of all for itself.
    var options = options
    options.busyTimeout = .zero
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
  /// Has the transaction, which so far has only been announced, begin with the state of now, in all files.
  fileprivate func takeSnapshot() throws {
    snapshotSchema = try internalInteger("PRAGMA schema_version")
    for name in attachedNames { _ = try internalInteger("PRAGMA \(SQL.quoted(name)).schema_version") }
  }
}
