import CFetchedResultsSQLite
import RowModel

extension Value {
  /// Makes this the result of an SQL function.
  func give(to context: OpaquePointer?) {
    switch self {
    case .null: sqlite3_result_null(context)
    case .integer(let value): sqlite3_result_int64(context, value)
    case .real(let value): sqlite3_result_double(context, value)
    case .text(var value):
      value.withUTF8 { utf8 in
        utf8.withMemoryRebound(to: CChar.self) { bytes in
          sqlite3_result_text64(
            context, bytes.baseAddress ?? Parameter.nothing, UInt64(bytes.count), frc_transient(), UInt8(SQLITE_UTF8))
        }
      }
    case .blob(let value):
      value.withUnsafeBytes { bytes in
        sqlite3_result_blob64(
          context, bytes.baseAddress ?? UnsafeRawPointer(Parameter.nothing), UInt64(bytes.count), frc_transient())
      }
    }
  }
}
