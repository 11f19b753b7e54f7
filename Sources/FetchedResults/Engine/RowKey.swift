import SQLiteStore

/// What an engine knows a table's row by, whatever the entity's id is.
enum RowKey: Hashable, Sendable {
  /// A number of the engine's own.
  case number(Int64)
  /// The values of the table's key.
  case values([Value])
}

/// The rows of one table that a commit may have changed.
enum ChangedRows: Sendable {
  /// These.
  case rows([RowKey])
  /// Any; with the reason.
  case everything(String)

  /// Both together.
  mutating func formUnion(_ other: ChangedRows) {
    guard case .rows(var rows) = self else { return }
    guard case .rows(let more) = other else { return self = other }
    // In place: while an evaluation takes its time, each commit adds a little to much.
    self = .rows([])
    rows += more
    self = .rows(rows)
  }
}
