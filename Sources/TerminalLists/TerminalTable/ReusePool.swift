import DataSources

/// Cells that are not shown now, by kind.
struct ReusePool<Cell> {
  private var registrations: [String: CellRegistration<Cell>] = [:]
  private var free: [String: [Cell]] = [:]
  private var lent: [(identifier: String, cell: Cell)] = []
  /// The number of cells created so far.
  private(set) var made = 0

  /// Registers a kind of cell. Two kinds under one identifier are refused.
  mutating func register(_ registration: CellRegistration<Cell>) {
    if let earlier = registrations[registration.identifier] {
      registration.requireSameType(as: earlier)
      return
    }
    registrations[registration.identifier] = registration
    free[registration.identifier] = []
  }

  /// A cell of a kind: a free one, or else a new one.
  mutating func dequeue(_ identifier: String) -> Cell {
    guard let registration = registrations[identifier] else {
      fatalError(
        "no cell is registered under \"\(identifier)\"; there are \(registrations.keys.sorted())")
    }
    let cell: Cell
    if let used = free[identifier]?.popLast() {
      (used as? any ReusableCell)?.prepareForReuse()
      cell = used
    } else {
      made += 1
      cell = registration.makeCell()
    }
    lent.append((identifier, cell))
    return cell
  }

  /// Takes back all cells that are in use.
  mutating func recycle() {
    for (identifier, cell) in lent.reversed() { free[identifier, default: []].append(cell) }
    lent = []
  }
}
