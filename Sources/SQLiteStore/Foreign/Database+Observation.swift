import CFetchedResultsSQLite

extension Database {
  /// Calls `handler` after every commit that touches one of these tables, with the keys of the rows.
  ///
  /// ```swift
  /// let observation = database.observe(["item"]) { commit in print(commit.changes) }
  /// ```
  ///
  /// Commits of this `Database` are reported exactly. Those of other connections and processes are reported exactly if
  /// the history is recorded (`recordHistory(of:)`), and as "everything" otherwise. A transaction that was rolled back,
  /// or whose commit failed, is not reported.
  ///
  /// The handler is called soon after the commit, on a thread of the database's, for one commit at a time and in order.
  /// It may read, write, and cancel. A slow handler delays only itself: its waiting commits are merged. ``catchUp()``
  /// waits for it. A handler that never returns blocks a thread for ever; there are 16 of these threads, plus four for
  /// each processor.
  ///
  /// A missing table is reported when it is created; until then a line of the log (``Options/log``) says that it is
  /// missing. Name a table of an attached file with its schema, such as
  /// `archive.item`, and a temporary one as `temp.item`.
  public func observe(
    _ tables: [String], _ handler: @escaping @Sendable (Commit) -> Void
  ) -> ObservationToken {
    let queue = ObserverQueue(callbacks, handler)
    let names = Set(tables)
    reportMissing(names)
    return add(
      feed.add(
        tables: tables, willCommit: nil, commitComes: nil, didCommit: nil, queue: queue,
        // Other observers may follow other tables, or these by other names.
        handler: { queue.put($0.limited(to: names)) }))
  }

  /// Writes a line for each observed table that does not exist, on another thread.
  private func reportMissing(_ names: Set<String>) {
    // Inside a write the tables may just have been created.
    if writerLock.isHeldByCurrentThread { return }
    Task.detached { [weak self] in await self?.reportMissing(names) }
  }

  private func reportMissing(_ names: Set<String>) async {
    for name in names.sorted() where !name.hasPrefix("temp.") {
      let parts = name.split(separator: ".", maxSplits: 1).map(String.init)
      let (schema, table) = parts.count == 2 ? (parts[0], parts[1]) : (nil, name)
      let sql: SQL = """
        SELECT EXISTS (SELECT 1 FROM pragma_table_list WHERE name IN (\(table), \(name)) COLLATE NOCASE
          AND (\(schema) IS NULL OR name = \(name) OR schema = \(schema) COLLATE NOCASE))
        """
      guard let exists = try? await read({ c in try c.value(sql, as: Bool.self) }), !exists else { continue }
      options.log("there is no table \(name) to observe; its commits are reported once it is created")
    }
  }

  /// The commits from now on that touch one of these tables, each with the keys of the rows, as
  /// ``observe(_:_:)`` reports them.
  ///
  /// ```swift
  /// for await commit in database.commits(to: ["item"]) { print(commit.changes) }
  /// ```
  ///
  /// What a slow reader has missed is merged into one commit. The stream ends when the database is closed.
  public func commits(to tables: [String]) -> AsyncStream<Commit> {
    let mailbox = CommitMailbox()
    let names = Set(tables)
    reportMissing(names)
    let observation = add(
      feed.add(
        tables: tables, willCommit: nil, commitComes: nil, didCommit: nil, closed: { mailbox.end() },
        handler: { mailbox.put($0.limited(to: names)) }))
    return AsyncStream {
      await mailbox.next()
    } onCancel: {
      observation.cancel()
      mailbox.end()
    }
  }

  /// The same, with three more closures. `willCommit` is called inside the transaction, before it is committed: readers
  /// still see the old state. `didCommit` is called as soon as the commit can be read, in order and on one thread at a
  /// time. `commitComes` is called before both, and only for the first observer that has one and that the commit
  /// concerns: to wake the threads that observers share.
  ///
  /// All of these are called while the writer is held, so they must be quick and must not write. `handler` is called
  /// after that, on the thread that committed or found the commit, and must be quick too.
  package func observe(
    _ tables: [String], willCommit: (@Sendable ([String: DirtyKeys]) -> Void)?,
    commitComes: (@Sendable () -> Void)? = nil,
    didCommit: (@Sendable (Commit) -> Void)? = nil, _ handler: @escaping @Sendable (Commit) -> Void
  ) -> ObservationToken {
    add(
      feed.add(
        tables: tables, willCommit: willCommit, commitComes: commitComes, didCommit: didCommit, handler: handler))
  }

  private func add(_ observer: (id: Int, isFirst: Bool)) -> ObservationToken {
    if observer.isFirst { beginFollowing() }
    let id = observer.id
    return ObservationToken { [weak self] in self?.cancelObservation(id) }
  }

  func cancelObservation(_ id: Int) {
    if feed.remove(id) { watcher.stop(unless: { feed.hasObservers }) }
  }

  /// The files that others can write to: the main file and those that are attached.
  private var sharedFiles: [String] { (file.map { [$0] } ?? []) + registrations.attachedPaths }

  var hasSharedFiles: Bool { file != nil || registrations.hasAttachments }

  private func beginFollowing() {
    if !hasSharedFiles { return }
    // A running write reports "everything" to observers that were added during it, so it needs no baseline.
    if writerLock.tryAcquire() {
      defer { writerLock.release() }
      do {
        try checkFiles()
        try tracker.takeBaseline(on: writer)
      } catch {
        // The next read of the file meets the same error; the first check that succeeds reports everything.
      }
    }
    watchFiles()
  }

  /// Watches the files from now on, also those that were attached since.
  func watchFiles() {
    let files = sharedFiles
    let logs = files.map { $0 + "-wal" }
    // With a log, the file itself is written when the log is moved into it, which is no commit.
    let hasLog = options.journal == .wal && !options.keepsJournalMode && !options.isReadOnly
    watcher.start(
      written: hasLog ? logs : logs + files, others: hasLog ? files : [],
      interval: max(1_000_000, options.foreignCommitInterval.nanoseconds)
    ) { [weak self] in
      self?.lookFromOutside() ?? .stop
    }
  }

  private func lookFromOutside() -> ForeignWatcher.Finding {
    guard feed.hasObservers, !writerLock.isClosed, hasSharedFiles else { return .stop }
    // If a write of ours has checked meanwhile, no check is needed. This needs no lock, because the writes want it.
    if tracker.takeOwnLooks() {
      // What it found must not wait for the end of the write.
      feed.drainForeign()
      return .doneByWrite
    }
    // A running write has checked when it began, and nobody else can have committed since.
    guard writerLock.tryAcquire() else {
      feed.drainForeign()
      return .busy
    }
    callbacks.expect()
    let found: Bool
    var isLossNews = false
    defer { if isLossNews { feed.drain() } }
    do {
      defer { writerLock.release() }
      isLossNews = reportLossOfFile()
      found = try look()
    } catch let error as DatabaseError where error.code == .busy {
      return .busy
    } catch {
      return .nothing  // the timer tries again; readers meet the cause themselves
    }
    if found { feed.drain() }
    return found ? .found : .nothing
  }

  /// Checks now for commits of other programs. Returns when these and all earlier commits have been delivered to the
  /// observers, and their handlers have returned.
  ///
  /// ```swift
  /// let observation = database.observe(["item"]) { commit in print(commit.changes) }
  /// try database.write { c in try c.insert(order) }
  /// try database.catchUp()  // the handler has printed
  /// ```
  ///
  /// Throws `.busy` if a handler takes longer than ``Options/busyTimeout`` for a commit. Inside a handler, it doesn't
  /// wait for that handler.
  public func catchUp() throws {
    try lookForCommits()
    guard feed.flushQueues(timeout: options.busyTimeout.nanoseconds) else {
      throw DatabaseError(
        code: .busy,
        message:
          "an observer has not returned from a commit within the timeout of \(options.busyTimeout); catchUp waits for "
          + "all of them")
    }
  }

  /// The same for lists, which don't wait for users' handlers.
  package func lookForCommits() throws {
    // A running write has checked, and prevents others from committing until it ends: there is no need to wait for it.
    if hasSharedFiles, feed.hasObservers, !writerLock.isHeldByCurrentThread, !tracker.isLookedIn {
      do {
        try writerLock.acquire(timeout: options.busyTimeout.nanoseconds)
      } catch {
        throw refusal(error)
      }
      defer { writerLock.release() }
      try look()
    }
    feed.flush()
  }

  /// Checks for commits of other programs. Returns whether there were any. The caller holds the writer lock, and no
  /// write has begun.
  @discardableResult
  func look() throws -> Bool {
    try checkFilesOfWriter()
    return try tracker.look(feed, on: writer)
  }
}
