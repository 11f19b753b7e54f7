/// Shows a data source in a host: it answers what the host asks, and tells it what changes.
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
/// next inside the host's batch, so what the host asks for always matches what it was told.
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

  /// Registers the presenter's cells with the host, and shows the list as it is.
  public init(source: Source, presenter: CellPresenter<Source.Item, Host.Cell>, host: Host) {
    self.source = source
    self.presenter = presenter
    self.host = host
    snapshot = source.snapshot
    presenter.register(with: host)
    host.content = self
    host.reloadData()
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
    let following = source.follow()
    show(following.snapshot)
    observation = following.observe { [weak self] update in self?.apply(update) }
  }

  /// Shows no more changes. The host keeps what it shows.
  public func stop() { observation = nil }

  /// Shows another list in place of the one shown, with the difference between the two as far as items can be compared.
  public func show(_ other: Snapshot<Source.Item>) {
    var draft = Draft(snapshot)
    draft.replace(with: other)
    if let update = draft.update { apply(update) }
    snapshot = other
  }

  /// Shows a change, stage by stage. Its `old` must be what is shown.
  public func apply(_ update: Update<Source.Item>) {
    host.apply(update) { snapshot = $0 }
    snapshot = update.new
  }
}
