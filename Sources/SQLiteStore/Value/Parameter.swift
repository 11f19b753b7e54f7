public import CFetchedResultsSQLite

/// A parameter of a statement. Bind it once.
///
/// Only `ValueConvertible.bind` receives one.
public struct Parameter: ~Copyable {
  @usableFromInline unowned(unsafe) let statement: Statement
  @usableFromInline let index: Int32

  @inlinable @inline(__always)
  init(statement: Statement, index: Int32) {
    self.statement = statement
    self.index = index
  }

  @inlinable @inline(__always)
  func check(_ code: Int32) throws {
    if code != SQLITE_OK { throw statement.bindingError(code, at: index) }
  }

  /// Binds NULL.
  @inlinable
  public func bindNull() throws { try check(sqlite3_bind_null(statement.handle, index)) }

  /// Binds an integer.
  @inlinable @inline(__always)
  public func bind(_ value: Int64) throws { try check(sqlite3_bind_int64(statement.handle, index, value)) }

  @inlinable @inline(__always)
  func bind(fitting value: some FixedWidthInteger) throws {
    guard let value = Int64(exactly: value) else { throw DatabaseError.overflow(of: value) }
    try bind(value)
  }

  /// Binds a double. A NaN is bound as NULL, which is an error when an entity is written.
  @inlinable @inline(__always)
  public func bind(_ value: Double) throws {
    if value.isNaN, statement.writesEntity { throw DatabaseError.notANumber }
    try check(sqlite3_bind_double(statement.handle, index, value))
  }

  /// Binds a text, NULs included.
  @inlinable @inline(__always)
  public func bind(_ value: String) throws {
    var value = value
    if value.utf8.count > Self.largest { statement.holdsLargeValue = true }
    let code = value.withUTF8 { utf8 in
      utf8.withMemoryRebound(to: CChar.self) { bytes in
        sqlite3_bind_text64(
          statement.handle, index, bytes.baseAddress ?? Self.nothing, UInt64(bytes.count), frc_transient(),
          UInt8(SQLITE_UTF8))
      }
    }
    try check(code)
  }

  /// Binds bytes.
  @inlinable
  public func bind(_ value: UnsafeRawBufferPointer) throws {
    if value.count > Self.largest { statement.holdsLargeValue = true }
    try check(
      sqlite3_bind_blob64(
        statement.handle, index, value.baseAddress ?? UnsafeRawPointer(Self.nothing), UInt64(value.count),
        frc_transient()))
  }

  /// Binds a value of whichever storage class.
  @inlinable
  public func bind(_ value: Value) throws {
    switch value {
    case .null: try bindNull()
    case .integer(let value): try bind(value)
    case .real(let value): try bind(value)
    case .text(let value): try bind(value)
    case .blob(let value): try value.withUnsafeBytes { try bind($0) }
    }
  }

  /// The most bytes of a value that a statement may keep until it runs again. To free more and ask for it again costs
  /// little against copying it.
  @inlinable static var largest: Int { 4096 }

  /// An address for empty values: SQLite treats a null pointer as NULL, even if the length is 0.
  @usableFromInline nonisolated(unsafe) static let nothing: UnsafePointer<CChar> = {  // because it is never written
    let byte = UnsafeMutablePointer<CChar>.allocate(capacity: 1)
    byte.initialize(to: 0)
    return UnsafePointer(byte)
  }()
}
