/// Shows a data source in a host: it answers the host's questions, and reports changes to it.
///
/// ```swift
/// let adapter = ListAdapter(
///   source: errands,
///   presenter: .configuring(TextCell.self) { cell, errand in cell.text = StyledText(errand.title) },
///   host: table)
/// adapter.follow()
/// ```
///
/// Source, presenter and host must agree on the item and on the cell; otherwise it does not compile.
///
/// The adapter shows a list of its own, ``snapshot``, which is slightly behind the source. It switches from one stage
/// of a change to the next inside the host's batch, so what the host asks for always matches the changes that it
/// received.
///
/// The host only receives differences that start from the list it shows, whatever threads call the adapter, in whatever
/// order:
///
/// - An update that starts from another list, because it comes late, twice or from another source, is replaced by the
///   difference between the list that is shown and the update's `new`.
/// - A call from inside the host's batch, or from a presenter during a change, waits until the host has shown the
///   current change. A presenter must not make a call that shows another list while the host draws at other times, such
///   as when the user scrolls: the host has counted the rows by then.
/// - A host that was given to another adapter is left alone: the adapter stops following, and shows nothing more.
///
/// To put another source behind a client that follows, use a ``SwitchingDataSource``.
///
/// An adapter belongs to the actor or task that created it; use it only there. It holds the host, and the host holds it
/// weakly.
public final class ListAdapter<Source: DataSourceProtocol, Host: ListHost> {
  /// The source of the rows.
  public let source: Source

  /// The host that shows them.
  public let host: Host

  /// Makes cells of the rows.
  public let presenter: CellPresenter<Source.Item, Host.Cell>

  /// The list that the host shows. A path that the user points at is a path in this list, not in the source's.
  public private(set) var snapshot: Snapshot<Source.Item>

  /// Whether the host shows the whole list again instead of a change: one of thousands of rows, or any change while the
  /// host is off screen. By default it never does.
  ///
  /// ```swift
  /// adapter.shouldReload = { changes in changes.count > 500 }
  /// ```
  public var shouldReload: (Changes) -> Bool = { _ in false }

  private var observation: ObservationToken?
  /// The changes to show, in order, when the host is ready.
  private var waiting: [Step] = []
  private var isShowing = false
  private var ownership = Ownership.unknown

  private enum Step {
    case update(Update<Source.Item>)
    case list(Snapshot<Source.Item>)
  }

  private enum Ownership {
    /// The host has this adapter as its content.
    case owned
    /// The host does not return the content that was set, so nobody can check whether it has another.
    case unknown
    /// The host has another content.
    case lost
  }

  /// Registers the presenter's cells with the host, and shows the current list.
  ///
  /// From now on the host is this adapter's. It must not be showing a change of another one at that moment.
  public init(source: Source, presenter: CellPresenter<Source.Item, Host.Cell>, host: Host) {
    self.source = source
    self.presenter = presenter
    self.host = host
    snapshot = source.snapshot
    presenter.register(with: host)
    isShowing = true
    host.content = self
    if host.content === self { ownership = .owned }
    host.reloadData()
    isShowing = false
    showWaiting()
  }

  /// Shows all changes from now on, on the caller's actor, until the adapter is released.
  ///
  /// Outside any actor, or to merge the changes with other events, call ``apply(_:)`` instead:
  ///
  /// ```swift
  /// let following = errands.follow()
  /// adapter.show(following.snapshot)
  /// for await update in following.updates { adapter.apply(update) }
  /// ```
  public func follow(isolation: isolated any Actor = #isolation) {
    guard !hasLostHost() else { return }
    let following = source.follow()
    show(following.snapshot)
    observation = following.observe { [weak self] update in self?.apply(update) }
  }

  /// Stops showing changes, also those that wait until the host has shown the current one. The host keeps what it
  /// shows.
  ///
  /// ```swift
  /// adapter.stop()    // the view is off screen
  /// adapter.follow()  // it is back, and shows the difference
  /// ```
  public func stop() {
    observation = nil
    waiting = []
  }

  /// Shows another list, as the difference to the one shown, as exactly as items can be compared.
  ///
  /// ```swift
  /// adapter.show(errands.snapshot)
  /// ```
  ///
  /// An adapter that follows its source continues: the source's next change leads back to the source's list.
  public func show(_ other: Snapshot<Source.Item>) { take(.list(other)) }

  /// Shows a change, stage by stage. If its `old` is not the list that is shown, the difference to `new` is shown
  /// instead.
  ///
  /// ```swift
  /// adapter.apply(update)
  /// ```
  public func apply(_ update: Update<Source.Item>) { take(.update(update)) }

  private func take(_ step: Step) {
    waiting.append(step)
    showWaiting()
  }

  /// Shows the waiting changes, unless the host is busy.
  private func showWaiting() {
    guard !isShowing else { return }
    isShowing = true
    while !waiting.isEmpty, !hasLostHost() {
      let next = waiting.removeFirst()
      switch next {
      case .update(let update): show(update)
      case .list(let list):
        var draft = Draft(snapshot)
        draft.replace(with: list)
        if let update = draft.update { showStages(of: update) }
        if !hasLostHost() { snapshot = list }
      }
    }
    isShowing = false
  }

  private func show(_ update: Update<Source.Item>) {
    guard let update = update.starting(from: snapshot) else {
      snapshot = update.new
      return
    }
    showStages(of: update)
    if !hasLostHost() { snapshot = update.new }
  }

  private func showStages(of update: Update<Source.Item>) {
    host.updateWillBegin()
    if shouldReload(update.changes) {
      snapshot = update.new
      host.reloadData()
      if !hasLostHost() { host.updateDidEnd(update.changes) }
      return
    }
    for stage in update.batches() {
      if hasLostHost() { return }
      host.performBatch(stage.changes) { [self] in snapshot = stage.new }
      // Do this even if the host forgot to switch.
      if !hasLostHost() { snapshot = stage.new }
    }
    if !hasLostHost() { host.updateDidEnd(update.changes) }
  }

  /// Whether the host has another content. Then the adapter never uses it again.
  private func hasLostHost() -> Bool {
    if ownership == .owned, host.content !== self {
      ownership = .lost
      observation = nil
      waiting = []
    }
    return ownership == .lost
  }
}
