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
    switch (self, other) {
    case (.everything, _): break
    case (_, .everything): self = other
    case (.rows(let left), .rows(let right)): self = .rows(left + right)
    }
  }
}
