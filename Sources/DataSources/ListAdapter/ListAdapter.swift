/// Shows a data source in a host: it answers what the host asks, and reports to it what changes.
///
/// ```swift
/// let adapter = ListAdapter(
///   source: tasks,
///   presenter: .configuring(TextCell.self) { cell, task in cell.text = StyledText(task.title) },
///   host: table)
/// adapter.follow()
/// ```
///
/// Source, presenter and host must agree on the item and on the cell, or it does not compile.
///
/// The adapter shows a list of its own, ``snapshot``, which is a little behind the source: it goes from one stage of a change to the
/// next inside the host's batch, so what the host asks for always matches the changes that it received.
///
/// The host never receives a difference that isn't that of what it shows, whoever calls in whatever order:
///
/// - An update that starts from another list, because it comes late, twice or from another source, is replaced by the difference
///   between the list that is shown and the update's `new`.
/// - A call from inside the host's batch, or from a presenter, waits until the host has shown the change at hand.
/// - A host that was given to another adapter is left alone: the adapter stops following, and shows nothing more.
///
/// To put another source behind a client that follows, use a ``SwitchingDataSource``.
///
/// An adapter belongs to whoever made it, an actor or a task, and is used there only. It holds the host, and the host
/// holds it weakly.
public final class ListAdapter<Source: DataSourceProtocol, Host: ListHost> {
  /// Where the rows come from.
  public let source: Source

  /// What shows them.
  public let host: Host

  /// How they become cells.
  public let presenter: CellPresenter<Source.Item, Host.Cell>

  /// The list that the host shows. A path that the user points at is a path in this list, not in the source's.
  public private(set) var snapshot: Snapshot<Source.Item>

  private var observation: ListObservation?
  /// What is to be shown, in order, when the host is ready for it.
  private var waiting: [Step] = []
  private var isShowing = false
  /// What waits until the host has shown the change at hand: other adapters that are to have the host.
  private var afterShowing: [() -> Void] = []
  private var ownership = Ownership.coming

  private enum Step {
    case update(Update<Source.Item>)
    case list(Snapshot<Source.Item>)
  }

  private enum Ownership {
    /// The host is in the midst of another adapter's change.
    case coming
    /// The host has this adapter as its content.
    case owned
    /// The host does not return the content that it was given, so nobody can see whether it has another.
    case unknown
    /// The host has another content.
    case lost
  }

  /// Registers the presenter's cells with the host, and shows the list as it is.
  ///
  /// The host is this adapter's from now on, or from the end of the change that it is showing for another one.
  public init(source: Source, presenter: CellPresenter<Source.Item, Host.Cell>, host: Host) {
    self.source = source
    self.presenter = presenter
    self.host = host
    snapshot = source.snapshot
    presenter.register(with: host)
    if let other = host.content as? any ShowingContent, other.isBusy {
      other.whenDone { [weak self] in self?.takeHost() }
    } else {
      takeHost()
    }
  }

  /// Shows all changes from now on, on the actor that the caller stands on, until the adapter is released.
  ///
  /// Whoever stands on no actor, or merges the changes with events of another kind, calls ``apply(_:)`` instead:
  ///
  /// ```swift
  /// let following = source.follow()
  /// adapter.show(following.snapshot)
  /// for await update in following.updates { adapter.apply(update) }
  /// ```
  public func follow(isolation: isolated any Actor = #isolation) {
    guard !hasLostHost() else { return }
    let following = source.follow()
    show(following.snapshot)
    observation = following.observe { [weak self] update in self?.apply(update) }
  }

  /// Shows no more changes. The host keeps what it shows.
  public func stop() { observation = nil }

  /// Shows another list in place of the one shown, with the difference between the two as far as items can be compared.
  ///
  /// An adapter that follows its source goes on with that: the source's next change leads back to the source's list.
  public func show(_ other: Snapshot<Source.Item>) { take(.list(other)) }

  /// Shows a change, stage by stage. Where its `old` is not the list that is shown, the difference to `new` is shown instead.
  public func apply(_ update: Update<Source.Item>) { take(.update(update)) }

  private func take(_ step: Step) {
    waiting.append(step)
    showWaiting()
  }

  private func takeHost() {
    isShowing = true
    host.content = self
    ownership = host.content === self ? .owned : .unknown
    host.reloadData()
    isShowing = false
    showWaiting()
  }

  /// Shows what waits, unless the host is busy.
  private func showWaiting() {
    guard !isShowing else { return }
    isShowing = true
    while !waiting.isEmpty, ownership != .coming, !hasLostHost() {
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
    if ownership != .coming {
      let others = afterShowing
      afterShowing = []
      for other in others { other() }
    }
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
    for stage in update.batches() {
      if hasLostHost() { return }
      host.performBatch(stage.changes) { snapshot = stage.new }
      // Also where the host forgot to switch.
      if !hasLostHost() { snapshot = stage.new }
    }
    if !hasLostHost() { host.updateDidEnd(update.changes) }
  }

  /// Whether the host has another content. Then the adapter is done with it for good.
  private func hasLostHost() -> Bool {
    if ownership == .owned, host.content !== self {
      ownership = .lost
      observation = nil
      waiting = []
    }
    return ownership == .lost
  }
}

/// A content that may be in the midst of a change.
private protocol ShowingContent: AnyObject {
  var isBusy: Bool { get }
  /// Runs an action when the change is complete.
  func whenDone(_ action: @escaping () -> Void)
}

extension ListAdapter: ShowingContent {
  fileprivate var isBusy: Bool { isShowing }
  fileprivate func whenDone(_ action: @escaping () -> Void) { afterShowing.append(action) }
}
