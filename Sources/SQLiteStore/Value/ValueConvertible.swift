public import CSQLite

/// A type that goes into a database and comes back.
///
/// The standard integers, `Double`, `Float`, `Bool`, `String`, `[UInt8]`, `Data`, `Date`, `UUID`, `Value` and optionals
/// of them conform. So does an enumeration with a raw value, when you say so:
///
/// ```swift
/// enum Priority: Int, ValueConvertible { case low, medium, high }
/// ```
///
/// For a type of your own write the two members below. What cannot be represented is an error, never a
/// silent change: an integer too large for its type, a text where a number is expected, bytes that are not UTF-8.
public protocol ValueConvertible: Sendable {
  /// The value that is stored. May throw, as for a `UInt64` beyond what SQLite's integers hold.
  var databaseValue: Value { get throws }

  /// Makes an instance from a stored value, or throws `ValueMismatch` (or `DatabaseError`) when there is none for it.
  init(databaseValue: Value) throws

  /// Reads a column of the current row. There for speed only: the default goes through `init(databaseValue:)`.
  static func read(_ column: borrowing Column) throws -> Self

  /// Binds to a parameter of a statement. There for speed only: the default goes through `databaseValue`.
  func bind(to parameter: borrowing Parameter) throws
}

extension ValueConvertible {
  /// Reads the column by way of `init(databaseValue:)`.
  @inlinable
  public static func read(_ column: borrowing Column) throws -> Self {
    do {
      return try Self(databaseValue: column.value())
    } catch is ValueMismatch {
      throw column.mismatch(expected: "\(Self.self)")
    }
  }

  /// Binds by way of `databaseValue`.
  @inlinable
  public func bind(to parameter: borrowing Parameter) throws {
    try parameter.bind(databaseValue)
  }
}

/// What `init(databaseValue:)` throws when no instance of `expected` has that stored value.
///
/// Rows turn it into a `DatabaseError` that also names the column.
public struct ValueMismatch: Error, Hashable, CustomStringConvertible {
  /// What was asked for.
  public var expected: String
  /// What was there.
  public var found: Value

  /// Makes a mismatch.
  public init(expected: String, found: Value) {
    self.expected = expected
    self.found = found
  }

  /// The mismatch in words.
  public var description: String { "expected \(expected), found \(found.storageClass) \(found)" }
}

/// A column of a statement's current row, to be read once and at once.
///
/// Only `ValueConvertible.read` sees one.
public struct Column: ~Copyable {
  @usableFromInline let pointer: OpaquePointer
  @usableFromInline unowned(unsafe) let statement: Statement
  @usableFromInline let index: Int32

  @inlinable @inline(__always)
  init(statement: Statement, index: Int32) {
    // One call for all of type, value and length. The store's connections have no mutex of their own and are used by
    // one thread at a time, which is what makes an "unprotected" value safe to read.
    self.pointer = sqlite3_column_value(statement.handle, index)
    self.statement = statement
    self.index = index
  }

  /// Whether the column is NULL.
  @inlinable
  public var isNull: Bool { sqlite3_value_type(pointer) == SQLITE_NULL }

  /// The stored value, copied.
  @usableFromInline
  func value() throws -> Value {
    try Value(reading: pointer) { problem in statement.columnError(at: index, problem) }
  }

  /// The error to throw when the column does not hold what was expected.
  @inline(never)
  public func mismatch(expected: String) -> DatabaseError {
    statement.mismatch(at: index, expected: expected)
  }

  /// The 64-bit integer in the column; anything else, reals included, is an error.
  @inlinable @inline(__always)
  public func integer() throws -> Int64 {
    guard sqlite3_value_type(pointer) == SQLITE_INTEGER else { throw mismatch(expected: "INTEGER") }
    return sqlite3_value_int64(pointer)
  }

  /// The double in the column; an integer counts where a double holds it exactly.
  @inlinable @inline(__always)
  public func real() throws -> Double {
    let type = sqlite3_value_type(pointer)
    if type == SQLITE_FLOAT { return sqlite3_value_double(pointer) }
    guard type == SQLITE_INTEGER, let value = Double(exactly: sqlite3_value_int64(pointer)) else {
      throw mismatch(expected: "REAL")
    }
    return value
  }

  /// The text in the column; bytes that are not UTF-8 are an error, not question marks.
  @inlinable @inline(__always)
  public func text() throws -> String {
    guard sqlite3_value_type(pointer) == SQLITE_TEXT, let bytes = sqlite3_value_text(pointer) else {
      throw mismatch(expected: "TEXT")
    }
    let count = Int(sqlite3_value_bytes(pointer))
    guard let text = String(validUTF8: UnsafeRawBufferPointer(start: bytes, count: count)) else {
      throw mismatch(expected: "TEXT in valid UTF-8")
    }
    return text
  }

  /// Calls `body` with the bytes in the column, which are gone when it returns.
  @inlinable
  public func withBlob<T>(_ body: (UnsafeRawBufferPointer) throws -> T) throws -> T {
    guard sqlite3_value_type(pointer) == SQLITE_BLOB else { throw mismatch(expected: "BLOB") }
    return try body(
      UnsafeRawBufferPointer(start: sqlite3_value_blob(pointer), count: Int(sqlite3_value_bytes(pointer))))
  }
}

extension String {
  /// The text that `bytes` encode, or nil when they are not UTF-8.
  ///
  /// `String(validating:as:)` is not specialised across the standard library's boundary and costs several times
  /// as much; repairing and then comparing costs the comparison only where there is more than ASCII.
  @inlinable @inline(__always)
  init?(validUTF8 bytes: UnsafeRawBufferPointer) {
    let text = String(decoding: bytes, as: UTF8.self)
    guard bytes.isASCII || (text.utf8.count == bytes.count && text.utf8.elementsEqual(bytes)) else { return nil }
    self = text
  }
}

extension UnsafeRawBufferPointer {
  @inlinable @inline(__always)
  var isASCII: Bool {
    guard let base = baseAddress else { return true }
    var index = 0
    var seen: UInt64 = 0
    while index &+ 8 <= count {
      seen |= base.loadUnaligned(fromByteOffset: index, as: UInt64.self)
      index &+= 8
    }
    while index < count {
      seen |= UInt64(base.load(fromByteOffset: index, as: UInt8.self))
      index &+= 1
    }
    return seen & 0x8080_8080_8080_8080 == 0
  }
}

extension Value {
  /// Copies what SQLite holds.
  @usableFromInline
  init(reading pointer: OpaquePointer?, failure: (String) -> DatabaseError) throws {
    switch sqlite3_value_type(pointer) {
    case SQLITE_INTEGER: self = .integer(sqlite3_value_int64(pointer))
    case SQLITE_FLOAT: self = .real(sqlite3_value_double(pointer))
    case SQLITE_TEXT:
      let bytes = sqlite3_value_text(pointer)
      let count = Int(sqlite3_value_bytes(pointer))
      guard let text = String(validUTF8: UnsafeRawBufferPointer(start: bytes, count: count)) else {
        throw failure("its text is not valid UTF-8")
      }
      self = .text(text)
    case SQLITE_BLOB:
      let bytes = sqlite3_value_blob(pointer)
      let count = Int(sqlite3_value_bytes(pointer))
      self = .blob([UInt8](UnsafeRawBufferPointer(start: bytes, count: count)))
    default: self = .null
    }
  }
}

/// A parameter of a statement, to be bound once.
///
/// Only `ValueConvertible.bind` sees one.
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

  /// Binds a double.
  @inlinable @inline(__always)
  public func bind(_ value: Double) throws { try check(sqlite3_bind_double(statement.handle, index, value)) }

  /// Binds a text, NULs included.
  @inlinable @inline(__always)
  public func bind(_ value: String) throws {
    var value = value
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

  /// An address for nothing at all: SQLite takes a null pointer for NULL, also where the length is 0.
  @usableFromInline nonisolated(unsafe) static let nothing: UnsafePointer<CChar> = {  // because it is never written
    let byte = UnsafeMutablePointer<CChar>.allocate(capacity: 1)
    byte.initialize(to: 0)
    return UnsafePointer(byte)
  }()
}
