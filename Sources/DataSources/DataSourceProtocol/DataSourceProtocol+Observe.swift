extension DataSourceProtocol {
  /// Calls an observer with every change, on the caller's actor.
  ///
  /// ```swift
  /// @MainActor final class Screen {
  ///   private var observation: ObservationToken?
  ///   func start(_ source: some DataSourceProtocol<String>) {
  ///     observation = source.observe(initial: true) { [weak self] update in self?.show(update) }
  ///   }
  ///   private func show(_ update: Update<String>) { print(update.new) }
  /// }
  /// ```
  ///
  /// The observer may read and edit the source. While it is busy, changes are merged into one update, as in
  /// ``DataSourceProtocol/updates()``. With this package's sources, observers on one actor that have kept up are called
  /// in the order in which they began to observe. The observation keeps neither the source nor the actor alive, and
  /// ends with either. Outside any actor, loop over ``DataSourceProtocol/updates()`` instead, or name an actor with
  /// ``observe(on:initial:_:)``.
  ///
  /// - Parameters:
  ///   - initial: Whether to deliver the current list once, immediately, as an update from an empty list, so that an
  ///     observer only has to apply differences. This takes O(n). Otherwise the first call is the first change.
  ///   - isolation: The observer's actor; by default, the caller's.
  ///   - observer: The closure to call.
  /// - Returns: An object that keeps the observation running.
  public func observe(
    initial: Bool = false,
    isolation: isolated any Actor = #isolation,
    _ observer: @escaping (Update<Item>) -> Void
  ) -> ObservationToken {
    let following = follow()
    if initial { observer(Update(first: following.snapshot)) }
    return following.observe(observer)
  }

  /// Calls an observer with every change, on a given actor, as long as that actor lives.
  ///
  /// ```swift
  /// actor Log {
  ///   var lines: [String] = []
  ///   func start(_ source: some DataSourceProtocol<String>) -> ObservationToken {
  ///     source.observe(on: self) { log, update in log.lines.append("\(update.changes)") }
  ///   }
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - actor: The observer's actor, which is not kept alive. It is passed as the observer's first argument.
  ///   - initial: Whether to deliver the current list once, as an update from an empty list.
  ///   - observer: The closure to call.
  /// - Returns: An object that keeps the observation running.
  public func observe<Observer: Actor>(
    on actor: Observer,
    initial: Bool = false,
    _ observer: @escaping @Sendable (isolated Observer, Update<Item>) -> Void
  ) -> ObservationToken {
    let following = follow()
    let observer = ActorObserver(following, on: actor) { [weak actor] update in
      actor?.assumeIsolated { observer($0, update) }
    }
    observer.start(initial ? following.snapshot : nil)
    return ObservationToken { observer.cancel() }
  }
}

extension Following {
  /// Calls a handler with every update, on the caller's actor.
  package func observe(
    isolation: isolated any Actor = #isolation, _ observer: @escaping (Update<Item>) -> Void
  ) -> ObservationToken {
    let observer = ActorObserver(self, on: isolation, observer)
    observer.start(nil)
    return ObservationToken { observer.cancel() }
  }
}

extension Update {
  /// The update from an empty list to a first one.
  init(first snapshot: Snapshot<Item>) {
    let changes = Changes(insertedSections: Array(snapshot.indices), insertedItems: Array(snapshot.paths))
    self.init(old: Snapshot(), new: snapshot, changes: changes)
  }
}
