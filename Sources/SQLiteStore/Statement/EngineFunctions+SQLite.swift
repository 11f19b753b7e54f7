import CFetchedResultsSQLite
import RowModel

extension EngineFunctions {
  /// SQLite's own functions.
  // because it is never written after it was made
  nonisolated(unsafe) static let sqlite: UnsafePointer<EngineFunctions> = {
    let table = UnsafeMutablePointer<EngineFunctions>.allocate(capacity: 1)
    table.initialize(
      to: EngineFunctions(
        columnCount: sqlite3_column_count, dataCount: sqlite3_data_count, preparations: frc_preparations,
        cell: sqlite3_column_value, type: sqlite3_value_type, integer: sqlite3_value_int64,
        real: sqlite3_value_double, text: sqlite3_value_text, blob: sqlite3_value_blob,
        byteCount: sqlite3_value_bytes, bindNull: sqlite3_bind_null, bindInteger: sqlite3_bind_int64,
        bindReal: sqlite3_bind_double, bindText: frc_bind_text, bindBlob: frc_bind_blob))
    return UnsafePointer(table)
  }()
}

extension Value {
  /// Copies what SQLite holds. The store's connections have no mutex of their own and are used by one thread at a time,
  /// so an "unprotected" value is safe to read.
  init(reading pointer: OpaquePointer?, failure: (String) -> DatabaseError) throws {
    try self.init(reading: pointer, EngineFunctions.sqlite, failure: failure)
  }
}
