/// A parameter of a statement. Bind it once.
///
/// ```swift
/// func bind(_ cents: Int64?, to parameter: borrowing Parameter) throws {
///   if let cents { try parameter.bind(cents) } else { try parameter.bindNull() }
/// }
/// ```
///
/// Only `ValueConvertible.bind` receives one.
public struct Parameter: ~Copyable {
  // because it is bound while the engine's statement is in use
  @usableFromInline let statement: UnsafeMutablePointer<EngineStatement>
  @usableFromInline let index: Int32

  @inlinable @inline(__always)
  package init(statement: UnsafeMutablePointer<EngineStatement>, index: Int32) {
    self.statement = statement
    self.index = index
  }

  @inlinable @inline(__always)
  var functions: UnsafePointer<EngineFunctions> { statement.pointee.functions }

  @inlinable @inline(__always)
  func check(_ code: Int32) throws {
    if code != 0 { throw statement.pointee.bindingError(code, at: index) }
  }

  /// Binds NULL.
  @inlinable
  public func bindNull() throws { try check(functions.pointee.bindNull(statement.pointee.handle, index)) }

  /// Binds an integer.
  @inlinable @inline(__always)
  public func bind(_ value: Int64) throws {
    try check(functions.pointee.bindInteger(statement.pointee.handle, index, value))
  }

  /// Binds a double. A NaN is bound as NULL, which is an error when an entity is written.
  @inlinable @inline(__always)
  public func bind(_ value: Double) throws {
    if value.isNaN, statement.pointee.writesEntity { throw DatabaseError.notANumber }
    try check(functions.pointee.bindReal(statement.pointee.handle, index, value))
  }

  /// Binds a text, NULs included.
  @inlinable @inline(__always)
  public func bind(_ value: String) throws {
    var value = value
    if value.utf8.count > Self.largest { statement.pointee.holdsLargeValue = true }
    let code = value.withUTF8 { utf8 in
      utf8.withMemoryRebound(to: CChar.self) { bytes in
        functions.pointee.bindText(
          statement.pointee.handle, index, bytes.baseAddress ?? Self.nothing, UInt64(bytes.count))
      }
    }
    try check(code)
  }

  /// Binds bytes.
  @inlinable
  public func bind(_ value: UnsafeRawBufferPointer) throws {
    if value.count > Self.largest { statement.pointee.holdsLargeValue = true }
    try check(
      functions.pointee.bindBlob(
        statement.pointee.handle, index, value.baseAddress ?? UnsafeRawPointer(Self.nothing), UInt64(value.count)))
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

  /// The most bytes of a value that a statement may keep until it runs again. Freeing and allocating more each time
  /// costs little compared with copying it.
  @inlinable static var largest: Int { 4096 }

  /// An address for empty values: an engine may treat a null pointer as NULL, even if the length is 0.
  // because it is never written
  @usableFromInline nonisolated(unsafe) package static let nothing: UnsafePointer<CChar> = {
    let byte = UnsafeMutablePointer<CChar>.allocate(capacity: 1)
    byte.initialize(to: 0)
    return UnsafePointer(byte)
  }()
}
