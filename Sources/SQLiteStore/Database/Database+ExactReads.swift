import FetchedResultsSupport

extension Database {
  /// Reads a state that contains every commit passed to `didCommit` before `taking` was called.
  package func read<T>(
    _ access: Connection.Access = Connection.uncancellable, taking: () -> Void, _ body: (Connection) throws -> T
  ) throws -> T {
    // Several files can't be fixed at the same moment.
    if registrations.hasAttachments { return try readExactly(access, taking: taking, considering: {}, body) }
    return try readForList(access) { connection in
      taking()
      if path != nil { try connection.takeSnapshot() }
      return try body(connection)
    }
  }

  /// Reads a state that contains every commit of ours passed to `didCommit` before `taking` was called, and no commit
  /// of ours that was not passed to it before `considering` was called.
  ///
  /// So the drained commits and the data that is read belong together. `taking` is called before the state is fixed,
  /// perhaps several times. `considering` is called afterwards, and only if commits were made meanwhile: the read may
  /// or may not see what was reported in between. No writer waits for this unless its commits take long.
  ///
  /// Commits of other programs may be visible before they are reported, unless `isLooking`: then they are reported
  /// before `considering` is called. A write of ours that waits for another program prevents that; `notLooked` is then
  /// called instead, before `body`.
  package func readExactly<T>(
    _ access: Connection.Access = Connection.uncancellable, isLooking: Bool = false, taking: () -> Void,
    considering: () -> Void, notLooked: () -> Void = {}, _ body: (Connection) throws -> T
  ) throws -> T {
    guard path != nil, !writerLock.isHeldByCurrentThread else {
      return try readForList(access) { connection in
        taking()
        try connection.resolveNames()
        return try body(connection)
      }
    }
    for _ in 0..<4 {
      let result = try readAmongCommits(access, isLooking, taking, considering, notLooked, body)
      if let result { return result }
    }
    // Commits that take long follow each other closely. So fix the state while nobody writes; that is quick compared
    // with them.
    return try readForList(access) { connection in
      do throws(WriterLock.Refusal) {
        try writerLock.acquire(timeout: options.busyTimeout.nanoseconds, isCancelled: { access.isCancelled })
      } catch {
        // A write that takes so long commits nothing meanwhile.
        let mark = feed.commitMark
        taking()
        try connection.takeSnapshot()
        guard let mark, feed.commitMark == mark else { throw refusal(error) }
        return try body(connection)
      }
      do {
        defer { writerLock.release() }
        taking()
        try connection.takeSnapshot()
      }
      if isLooking {
        if !reportForeignCommits() { notLooked() }
        considering()
      }
      return try body(connection)
    }
  }

  private func readAmongCommits<T>(
    _ access: Connection.Access, _ isLooking: Bool, _ taking: () -> Void, _ considering: () -> Void,
    _ notLooked: () -> Void, _ body: (Connection) throws -> T
  ) throws -> T? {
    // A commit that is running usually ends at once, and then there is nothing to consider. With several files it must
    // have ended.
    feed.awaitCommit(for: registrations.hasAttachments ? 20_000_000 : 0)
    let mark = feed.commitMark
    return try readForList(access) { connection in
      taking()
      try connection.takeSnapshot()
      let isAmongCommits = mark == nil || feed.commitMark != mark
      if isAmongCommits {
        // A commit may be visible in one file and not yet in another.
        guard connection.attachedNames.isEmpty else { return nil }
        // With a rollback journal a commit may be waiting for this very read.
        guard feed.awaitCommit(for: options.journal == .wal ? 20_000_000 : 0) else { return nil }
      }
      if isLooking, !reportForeignCommits() { notLooked() }
      if isLooking || isAmongCommits { considering() }
      return try body(connection)
    }
  }

  /// Reports the commits of other programs up to now. A write of ours that runs has done so when it began, and no other
  /// program can have committed since.
  ///
  /// It waits a moment for a check that is running. Returns false if it could not look: a write that waits for another
  /// program may take longer.
  private func reportForeignCommits() -> Bool {
    guard hasSharedFiles, feed.hasObservers else { return true }
    var hasLock = false
    let canTell = Processor.wait(for: Self.longestWaitToLook) {
      // A commit of ours that has begun since the state was fixed ends after that, so others can only commit later.
      if tracker.isLookedIn || feed.commitMark == nil { return true }
      hasLock = writerLock.tryAcquire()
      return hasLock
    }
    return hasLock ? lookAtOnce() : canTell
  }

  /// How long an evaluation waits until it can look for other programs' commits, in nanoseconds.
  private static var longestWaitToLook: UInt64 { 20_000_000 }

  /// Looks for commits of other programs, and releases the writer lock, which the caller has taken. Returns false if it
  /// could not look.
  private func lookAtOnce() -> Bool {
    let isFound: Bool
    do {
      defer { writerLock.release() }
      // Another program may wait for the read that surrounds this.
      writer.busy.impatience = .byCaller
      defer { writer.busy.impatience = nil }
      isFound = try look()
    } catch {
      return false  // The next write, or the thread that watches the file, meets the same error.
    }
    if isFound { feed.drain() }
    return true
  }
}

extension Database {
  /// Reads what readers see during a write, before it is committed. The caller holds the writer lock. It waits for no
  /// reader, and is not confused by a read that surrounds the write.
  package func readOldState<T>(_ body: (Connection) throws -> T) throws -> T {
    guard let file else { return try read(body) }
    // With a rollback journal the file is locked as soon as a large transaction no longer fits into memory. The writer
    // must not wait for anybody, least of all for itself.
    var options = options
    options.busyTimeout = .zero
    let isNew = oldStateReader == nil
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
    if isNew { try checkFilesNow() }
    return try read(on: connection, Connection.uncancellable, &isSound) { connection in
      try connection.resolveNames()
      return try body(connection)
    }
  }
}

extension Connection {
  /// Starts the read transaction, which was deferred so far, with the current state of all files.
  fileprivate func takeSnapshot() throws {
    snapshotSchema = try internalInteger("PRAGMA schema_version")
    // This reads all attached files, so it fixes their states too.
    try resolveNames()
  }
}
