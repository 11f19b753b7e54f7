package import RowModel

/// An engine's key of a table's row, whatever the entity's id is.
package enum RowKey: Hashable, Sendable {
  /// A number of the engine's own.
  case number(Int64)
  /// The values of the table's key.
  case values([Value])
}

/// The rows of one table that a commit may have changed.
package enum ChangedRows: Sendable {
  /// These rows. A row may be repeated.
  case rows([RowKey])
  /// Any row, with the reason.
  case everything(String)

  /// Adds the other rows.
  package mutating func formUnion(_ other: ChangedRows) {
    guard case .rows(var rows) = self else { return }
    guard case .rows(let more) = other else { return self = other }
    // Change it in place: during a long evaluation, each commit adds a little to a large set.
    self = .rows([])
    rows += more
    self = .rows(rows)
  }
}
