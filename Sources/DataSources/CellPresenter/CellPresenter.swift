/// How the items of a list become cells of a host: which cells to register, and how to fill them.
///
/// It knows neither where items come from nor what a host does with cells. So you write it once for a kind of item, and
/// use it in any ``ListAdapter`` whose source has these items and whose host has these cells; other combinations don't
/// compile.
///
/// ```swift
/// let presenter = CellPresenter<Errand, any LineCell>.configuring(TextCell.self) { cell, errand in
///   cell.text = StyledText(errand.title)
/// }
/// ```
///
/// `Item` is what is shown. `Cell` is the common type of the host's cells, a class or a protocol.
public struct CellPresenter<Item, Cell> {
  /// The cells that the host must be able to create.
  public let registrations: [CellRegistration<Cell>]

  let populate: (_ item: Item, _ path: ItemPath, _ dequeue: (String, ItemPath) -> Cell) -> Cell

  /// Creates a presenter from its parts.
  ///
  /// - Parameters:
  ///   - registrations: The cells that the host must be able to create.
  ///   - populate: Returns a filled cell, which it gets from the last argument by one of the registered identifiers.
  public init(
    registrations: [CellRegistration<Cell>],
    populate: @escaping (_ item: Item, _ path: ItemPath, _ dequeue: (String, ItemPath) -> Cell) -> Cell
  ) {
    self.registrations = registrations
    self.populate = populate
  }

  /// Registers the kinds of cells with a host. A ``ListAdapter`` does this once.
  ///
  /// Two types of cells under one identifier are a caller's mistake: the program stops, with a message that names both.
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

  /// A cell of a host, filled with an item.
  public func cell<Host: ListHost>(for item: Item, in host: Host, at path: ItemPath) -> Cell where Host.Cell == Cell {
    populate(item, path) { host.dequeue($0, for: $1) }
  }
}
