/// A column of a statement's current row. Read it once, and immediately.
///
/// ```swift
/// func cents(_ column: borrowing Column) throws -> Int64? { column.isNull ? nil : try column.integer() }
/// ```
///
/// Only `ValueConvertible.read` receives one.
public struct Column: ~Copyable {
  @usableFromInline let cell: OpaquePointer?
  @usableFromInline let functions: UnsafePointer<EngineFunctions>  // because the table lives as long as the process
  // because the column is read before the statement's next step
  @usableFromInline let statement: UnsafeMutablePointer<EngineStatement>
  @usableFromInline let index: Int32

  @inlinable @inline(__always)
  package init(statement: UnsafeMutablePointer<EngineStatement>, index: Int32) {
    // One call instead of three for type, value and length. An engine's statement is used by one thread at a time.
    functions = statement.pointee.functions
    cell = functions.pointee.cell(statement.pointee.handle, index)
    self.statement = statement
    self.index = index
  }

  @inlinable @inline(__always)
  var type: Int32 { functions.pointee.type(cell) }

  /// Whether the column is NULL.
  @inlinable
  public var isNull: Bool { type == CellType.null }

  /// The stored value, copied.
  @usableFromInline
  func value() throws -> Value {
    try Value(reading: cell, functions) { problem in statement.pointee.columnError(at: index, problem) }
  }

  /// The error to throw if the column does not hold what was expected.
  @inline(never)
  public func mismatch(expected: String) -> DatabaseError {
    statement.pointee.mismatch(at: index, expected: expected)
  }

  /// The error of a value that was read from the column, with the column's name.
  @usableFromInline @inline(never)
  func naming(_ error: DatabaseError) -> DatabaseError {
    guard error.code == .mismatch, error.columns.isEmpty else { return error }
    return statement.pointee.columnError(at: index, error.message)
  }

  /// The 64-bit integer in the column; anything else, reals included, is an error.
  @inlinable @inline(__always)
  public func integer() throws -> Int64 {
    guard type == CellType.integer else { throw mismatch(expected: "INTEGER") }
    return functions.pointee.integer(cell)
  }

  /// The integer in the column as a type that can hold it.
  @inlinable @inline(__always)
  func fitting<T: FixedWidthInteger>() throws -> T {
    guard let value = T(exactly: try integer()) else { throw mismatch(expected: "an INTEGER that fits \(T.self)") }
    return value
  }

  /// The double in the column; an integer is accepted if a double holds it exactly.
  ///
  /// ```swift
  /// func degrees(_ column: borrowing Column) throws -> Double { try column.real() }
  /// ```
  @inlinable @inline(__always)
  public func real() throws -> Double {
    let type = type
    if type == CellType.real { return functions.pointee.real(cell) }
    guard type == CellType.integer, let value = Double(exactly: functions.pointee.integer(cell)) else {
      throw mismatch(expected: "REAL")
    }
    return value
  }

  /// The text in the column; bytes that are not UTF-8 are an error, not question marks.
  @inlinable @inline(__always)
  public func text() throws -> String {
    try withText { bytes in
      guard let text = String(validUTF8: bytes) else { throw mismatch(expected: "TEXT in valid UTF-8") }
      return text
    }
  }

  /// Calls `body` with the bytes of the text in the column, which are valid until it returns. They need not be UTF-8.
  ///
  /// ```swift
  /// func length(_ column: borrowing Column) throws -> Int { try column.withText { $0.count } }
  /// ```
  @inlinable @inline(__always)
  public func withText<T>(_ body: (UnsafeRawBufferPointer) throws -> T) throws -> T {
    guard type == CellType.text, let bytes = functions.pointee.text(cell) else {
      throw mismatch(expected: "TEXT")
    }
    return try body(UnsafeRawBufferPointer(start: bytes, count: Int(functions.pointee.byteCount(cell))))
  }

  /// Calls `body` with the bytes in the column, which are valid until it returns.
  ///
  /// ```swift
  /// func isEmpty(_ column: borrowing Column) throws -> Bool { try column.withBlob { $0.isEmpty } }
  /// ```
  @inlinable
  public func withBlob<T>(_ body: (UnsafeRawBufferPointer) throws -> T) throws -> T {
    guard type == CellType.blob else { throw mismatch(expected: "BLOB") }
    return try body(
      UnsafeRawBufferPointer(start: functions.pointee.blob(cell), count: Int(functions.pointee.byteCount(cell))))
  }
}

extension String {
  /// The text that `bytes` encode, or nil if they are not UTF-8.
  ///
  /// `String(validating:as:)` is not specialised across the standard library's boundary and costs several times as
  /// much. Repairing the text and comparing it afterwards costs a comparison only if there is more than ASCII.
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
    var seen: UInt64 = 0
    if count >= 8 {
      // Eight bytes at a time; the last step overlaps if the length is not a multiple of eight.
      let last = count &- 8
      var index = 0
      while index < last {
        seen |= base.loadUnaligned(fromByteOffset: index, as: UInt64.self)
        index &+= 8
      }
      seen |= base.loadUnaligned(fromByteOffset: last, as: UInt64.self)
    } else {
      for index in 0..<count { seen |= UInt64(base.load(fromByteOffset: index, as: UInt8.self)) }
    }
    return seen & 0x8080_8080_8080_8080 == 0
  }
}

extension Value {
  /// Copies what the engine holds.
  package init(
    reading cell: OpaquePointer?, _ functions: UnsafePointer<EngineFunctions>, failure: (String) -> DatabaseError
  ) throws {
    switch functions.pointee.type(cell) {
    case CellType.integer: self = .integer(functions.pointee.integer(cell))
    case CellType.real: self = .real(functions.pointee.real(cell))
    case CellType.text:
      let bytes = functions.pointee.text(cell)
      let count = Int(functions.pointee.byteCount(cell))
      guard let text = String(validUTF8: UnsafeRawBufferPointer(start: bytes, count: count)) else {
        throw failure("its text is not valid UTF-8")
      }
      self = .text(text)
    case CellType.blob:
      let bytes = functions.pointee.blob(cell)
      let count = Int(functions.pointee.byteCount(cell))
      self = .blob([UInt8](UnsafeRawBufferPointer(start: bytes, count: count)))
    default: self = .null
    }
  }
}
