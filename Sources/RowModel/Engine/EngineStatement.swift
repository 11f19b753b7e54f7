import FetchedResultsSupport

/// What rows, columns and parameters need of an engine's statement, in memory that the engine's statement owns.
///
/// Rows hold its address and count no references, which would cost a tenth of reading a row. The step's stamp tells a
/// row whether the address is still valid.
@usableFromInline
package struct EngineStatement {
  /// The engine's own statement.
  @usableFromInline let handle: OpaquePointer
  /// How the engine reads and binds.
  @usableFromInline let functions: UnsafePointer<EngineFunctions>  // because the table lives as long as the process
  /// Rises with every step, so that a row that was kept too long is recognised.
  @usableFromInline package let cell: StepCell
  /// The positions of a mapping's columns in this statement. They are found again if another mapping reads from it.
  @usableFromInline package var plan = ColumnPlan()
  /// How many columns at the end rows don't show, because the library has added them for itself.
  @usableFromInline package var hiddenColumnCount: Int32 = 0
  /// Whether it writes an entity, whose values must be read back unchanged.
  @usableFromInline package var writesEntity = false
  /// Whether a bound value is too large to be kept while the statement doesn't run.
  @usableFromInline package var holdsLargeValue = false
  /// Provides what is rarely needed, and owns this memory.
  package unowned(unsafe) let owner: any EngineStatementOwner

  package init(
    handle: OpaquePointer, functions: UnsafePointer<EngineFunctions>, cell: StepCell, owner: any EngineStatementOwner
  ) {
    self.handle = handle
    self.functions = functions
    self.cell = cell
    self.owner = owner
  }

  /// The number of columns of the result that rows show.
  var columnCount: Int32 { functions.pointee.columnCount(handle) - hiddenColumnCount }

  /// The number of columns that the current row shows; 0 or less without a current row.
  @inlinable @inline(__always)
  var dataCount: Int32 { functions.pointee.dataCount(handle) - hiddenColumnCount }

  /// How many times the statement was compiled again.
  var preparations: Int32 { functions.pointee.preparations(handle) }

  /// Whether two columns of the current row have the same stored value.
  func areSame(_ left: Int, _ right: Int) -> Bool {
    let call = functions.pointee
    let (left, right) = (call.cell(handle, Int32(left)), call.cell(handle, Int32(right)))
    let type = call.type(left)
    guard type == call.type(right) else { return false }
    switch type {
    case CellType.null: return true
    case CellType.integer: return call.integer(left) == call.integer(right)
    case CellType.real: return call.real(left) == call.real(right)
    default:
      let (first, second) = (call.blob(left), call.blob(right))
      let count = call.byteCount(left)
      guard count == call.byteCount(right) else { return false }
      guard let first, let second else { return true }
      return memcmp(first, second, Int(count)) == 0
    }
  }

  // MARK: Errors

  @usableFromInline @inline(never)
  func columnError(at index: Int32, _ problem: String) -> DatabaseError {
    let names = owner.columnNames
    let name = Int(index) < names.count ? names[Int(index)] : "number \(index)"
    return DatabaseError(code: .mismatch, message: "column \"\(name)\": \(problem)", sql: owner.sql, columns: [name])
  }

  @usableFromInline @inline(never)
  func mismatch(at index: Int32, expected: String) -> DatabaseError {
    let found: String
    do {
      let cell = functions.pointee.cell(handle, index)
      let value = try Value(reading: cell, functions) { columnError(at: index, $0) }
      found = value.isNull ? "NULL" : "\(value.storageClass) \(value)"
    } catch {
      found = "TEXT that is not UTF-8"
    }
    return columnError(at: index, "expected \(expected), found \(found)")
  }

  @usableFromInline @inline(never)
  func bindingError(_ code: Int32, at index: Int32) -> DatabaseError { owner.bindingError(code, at: index) }
}

/// An engine's statement, as far as its rows need it beyond their values.
package protocol EngineStatementOwner: AnyObject {
  /// The text that it was prepared from.
  var sql: String { get }
  /// The names of the result's columns, in order; empty if the caller may not use the statement.
  var columnNames: [String] { get }
  /// The same, also for the engine's own statements.
  var currentNames: [String] { get }
  /// The position of a column, by its exact name or else by its name in any case.
  func index(of name: String) -> Int?
  /// The error for a code that binding has returned.
  func bindingError(_ code: Int32, at index: Int32) -> DatabaseError
}
