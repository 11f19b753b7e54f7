/// How the items of a list become cells of a host: which cells to register, and which to fill with what.
///
/// It knows neither where items come from nor what a host does with cells, so it is written once for a kind of item and used in
/// any ``ListAdapter`` whose source has these items and whose host has these cells; with any others it does not compile.
///
/// ```swift
/// let presenter = CellPresenter<Task, any LineCell>.configuring(TextCell.self) { cell, task in
///   cell.text = StyledText(task.title)
/// }
/// ```
///
/// `Item` is what is shown and `Cell` what the host shows: the common type of its cells, a class or a protocol.
public struct CellPresenter<Item, Cell> {
  /// What the host must be able to make.
  public let registrations: [CellRegistration<Cell>]

  let populate: (_ item: Item, _ path: ItemPath, _ dequeue: (String, ItemPath) -> Cell) -> Cell

  /// Makes a presenter from its parts: what to register, and how to get a cell for an item.
  ///
  /// - Parameters:
  ///   - registrations: What the host must be able to make.
  ///   - populate: Gives a filled cell, which it gets from the last argument by one of the registered identifiers.
  public init(
    registrations: [CellRegistration<Cell>],
    populate: @escaping (_ item: Item, _ path: ItemPath, _ dequeue: (String, ItemPath) -> Cell) -> Cell
  ) {
    self.registrations = registrations
    self.populate = populate
  }

  /// Registers the kinds of cells with a host. A ``ListAdapter`` does this once.
  ///
  /// Two types of cells under one identifier are a mistake of the caller's: the program stops, with a message that names both.
  public func register<Host: ListHost>(with host: Host) where Host.Cell == Cell {
    var known: [String: CellRegistration<Cell>] = [:]
    for registration in registrations {
      if let earlier = known.updateValue(registration, forKey: registration.identifier) {
        registration.requireSameType(as: earlier)
      } else {
        host.register(registration)
      }
    }
  }

  /// The cell of a host for an item, filled.
  public func cell<Host: ListHost>(for item: Item, in host: Host, at path: ItemPath) -> Cell where Host.Cell == Cell {
    populate(item, path) { host.dequeue($0, for: $1) }
  }
}
