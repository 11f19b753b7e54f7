import CSQLite

extension Database {
  /// Calls `handler` after every commit that touches one of these tables, with the keys of the rows.
  ///
  /// ```swift
  /// let observation = database.observe(["item"]) { commit in print(commit.changes) }
  /// ```
  ///
  /// Commits of this `Database` are told exactly; those of other connections and processes too where the history is recorded
  /// (`recordHistory(of:)`), and as "everything" where not. A transaction that was undone, or whose commit failed, is
  /// not told.
  ///
  /// The handler is called soon after the commit, on a thread of the database's, for one commit at a time and in order; it may read, write,
  /// and cancel. A slow handler holds up nobody but itself: what it is behind with is united. ``catchUp()`` waits for it. One that never
  /// returns keeps a thread for ever; of these threads there are 16 and four for each processor.
  ///
  /// A table that isn't there is told about when it comes to be. A table of an attached file is named with its
  /// schema, as `archive.item`.
  public func observe(
    _ tables: [String], _ handler: @escaping @Sendable (Commit) -> Void
  ) -> CommitObservation {
    let queue = ObserverQueue(callbacks, handler)
    return add(
      feed.add(
        tables: tables, willCommit: nil, commitComes: nil, didCommit: nil, queue: queue, handler: { queue.put($0) }))
  }

  /// The same, with a closure that is called in the transaction, before it is committed: what others read is still the old
  /// state then; and one that is called as soon as the commit can be read, in order and by one thread at a time. `commitComes`
  /// is called before, of all who have one only that of the first whom the commit concerns: to wake whom they share.
  ///
  /// All of these are called while the writer is held, and must be quick and not write. `handler` is called after it, on the thread of
  /// who committed or found out, and must be quick too.
  package func observe(
    _ tables: [String], willCommit: (@Sendable ([String: DirtyKeys]) -> Void)?,
    commitComes: (@Sendable () -> Void)? = nil,
    didCommit: (@Sendable (Commit) -> Void)? = nil, _ handler: @escaping @Sendable (Commit) -> Void
  ) -> CommitObservation {
    add(
      feed.add(
        tables: tables, willCommit: willCommit, commitComes: commitComes, didCommit: didCommit, handler: handler))
  }

  private func add(_ observer: (id: Int, isFirst: Bool)) -> CommitObservation {
    if observer.isFirst { beginFollowing() }
    return CommitObservation(id: observer.id, database: self)
  }

  func cancelObservation(_ id: Int) {
    if feed.remove(id) { watcher.stop(unless: { feed.hasObservers }) }
  }

  private func beginFollowing() {
    guard let file else { return }
    // A write that is under way says "everything" to who came during it, so that it needs no baseline.
    if lane.tryAcquire() {
      defer { lane.release() }
      do {
        try following.takeBaseline(on: writer)
      } catch {
        // Whoever reads the file next meets the same error; the first look that succeeds reports everything.
      }
    }
    watcher.start(path: file, interval: max(1_000_000, options.foreignCommitInterval.nanoseconds)) { [weak self] in
      self?.lookFromOutside() ?? .stop
    }
  }

  private func lookFromOutside() -> ForeignWatcher.Finding {
    guard feed.hasObservers, !lane.isClosed else { return .stop }
    // A look need not be repeated that a write of ours has made meanwhile. Asked without the lane, which writes are after.
    if following.takeOwnLooks() {
      // What it found must not wait for its end.
      feed.drainForeign()
      return .doneByWrite
    }
    // A write that is under way has looked when it began, and nobody else can have committed since.
    guard lane.tryAcquire() else {
      feed.drainForeign()
      return .busy
    }
    callbacks.expect()
    let found: Bool
    do {
      defer { lane.release() }
      found = try following.look(feed, on: writer)
    } catch let error as DatabaseError where error.code == .busy {
      return .busy
    } catch {
      return .nothing  // the timer tries again; readers meet the cause themselves
    }
    if found { feed.drain() }
    return found ? .found : .nothing
  }

  /// Finds out now what others have committed, and returns when it, and all commits before, have been handed to the observers, and
  /// their handlers have returned.
  ///
  /// A handler that takes longer for a commit than ``Options/busyTimeout`` makes it throw `.busy`. From inside a handler that one is not waited for.
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

  /// The same for lists, which wait for no user's handler.
  package func lookForCommits() throws {
    // A write that is under way has looked, and keeps others from committing until it ends: nobody needs to wait for it.
    if path != nil, feed.hasObservers, !lane.isHeldByCurrentThread, !following.isLookedIn {
      do {
        try lane.acquire(timeout: options.busyTimeout.nanoseconds)
      } catch {
        throw refusal(error)
      }
      defer { lane.release() }
      try following.look(feed, on: writer)
    }
    feed.flush()
  }
}
