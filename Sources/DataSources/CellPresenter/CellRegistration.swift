import FetchedResultsSupport

/// A kind of cell that a host can create when it has none to reuse.
///
/// ```swift
/// let kind = CellRegistration<TextCell>(TextCell.self)
/// print(kind.identifier, kind.makeCell().text)
/// ```
public struct CellRegistration<Cell> {
  /// The identifier with which cells of this kind are requested.
  public let identifier: String

  /// The type of the cells, for a host whose view creates cells from classes.
  public let type: any ReusableCell.Type

  /// Creates a cell.
  public let makeCell: () -> Cell

  /// Creates a registration of a type under its ``ReusableCell/reuseIdentifier``.
  ///
  /// `Kind` must be a `Cell`: a subclass of it, or a conforming type. The language can't express this for a generic
  /// `Cell`, so it is checked when the first cell is created.
  public init<Kind: ReusableCell>(_ type: Kind.Type) {
    identifier = Kind.reuseIdentifier
    self.type = type
    makeCell = {
      guard let cell = Kind() as? Cell else {
        fatalError("a \(Kind.self) is no \(Cell.self), which is what this host shows")
      }
      return cell
    }
  }

  /// Stops the program if another registration has the same identifier for cells of another type.
  package func requireSameType(as other: CellRegistration) {
    require(
      identifier != other.identifier || type == other.type,
      "two types of cells have the reuse identifier \"\(identifier)\": \(String(reflecting: other.type)) and "
        + "\(String(reflecting: type)); give one of them a reuseIdentifier of its own")
  }
}
