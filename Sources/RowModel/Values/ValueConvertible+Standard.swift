extension Value: ValueConvertible {
  /// Itself.
  public var databaseValue: Value { self }
  /// Any value is one.
  public init(databaseValue: Value) { self = databaseValue }

  /// Copies the column.
  public static func read(_ column: borrowing Column) throws -> Value { try column.value() }
  /// Binds itself.
  public func bind(to parameter: borrowing Parameter) throws { try parameter.bind(self) }
}

extension Int64: ValueConvertible {
  /// An integer.
  public var databaseValue: Value { .integer(self) }

  /// Accepts only an integer.
  public init(databaseValue: Value) throws {
    guard case .integer(let value) = databaseValue else {
      throw DatabaseError.mismatch(expected: "INTEGER", found: databaseValue)
    }
    self = value
  }

  /// Reads the integer as it is.
  @inlinable @inline(__always)
  public static func read(_ column: borrowing Column) throws -> Int64 { try column.integer() }
  /// Binds the integer as it is.
  @inlinable @inline(__always)
  public func bind(to parameter: borrowing Parameter) throws { try parameter.bind(self) }
}

// The other widths are like Int64, plus a check for overflow.
extension FixedWidthInteger where Self: ValueConvertible {
  /// The integer, or a `DatabaseError` if it doesn't fit into SQLite's 64 signed bits.
  @inlinable
  public var databaseValue: Value {
    get throws {
      guard let value = Int64(exactly: self) else { throw DatabaseError.overflow(of: self) }
      return .integer(value)
    }
  }

  /// Accepts an integer that this type can hold.
  @inlinable
  public init(databaseValue: Value) throws {
    guard case .integer(let integer) = databaseValue, let value = Self(exactly: integer) else {
      throw DatabaseError.mismatch(expected: "an INTEGER that fits \(Self.self)", found: databaseValue)
    }
    self = value
  }
}

extension Int8: ValueConvertible {}
extension Int16: ValueConvertible {}
extension UInt8: ValueConvertible {}
extension UInt16: ValueConvertible {}
extension UInt32: ValueConvertible {}
extension UInt64: ValueConvertible {}
extension UInt: ValueConvertible {}

// Fast reading and binding is written out for the usual types, and not for all integers at once: a type of another
// module with its own `databaseValue` must be read and bound through that.

extension Int: ValueConvertible {
  /// Reads an integer that this type can hold.
  @inlinable @inline(__always)
  public static func read(_ column: borrowing Column) throws -> Int { try column.fitting() }
  /// Binds the integer.
  @inlinable @inline(__always)
  public func bind(to parameter: borrowing Parameter) throws { try parameter.bind(Int64(self)) }
}

extension Int32: ValueConvertible {
  /// Reads an integer that this type can hold.
  @inlinable @inline(__always)
  public static func read(_ column: borrowing Column) throws -> Int32 { try column.fitting() }
  /// Binds the integer.
  @inlinable @inline(__always)
  public func bind(to parameter: borrowing Parameter) throws { try parameter.bind(Int64(self)) }
}

extension Bool: ValueConvertible {
  /// 1 or 0.
  public var databaseValue: Value { .integer(self ? 1 : 0) }

  /// Accepts an integer: 0 is false and any other is true, as in SQL.
  public init(databaseValue: Value) throws { self = try Int64(databaseValue: databaseValue) != 0 }

  /// Several: any integer except 0 is true.
  @inlinable
  public static var storedForms: StoredForms { .bool }

  /// Reads an integer as a truth value.
  @inlinable @inline(__always)
  public static func read(_ column: borrowing Column) throws -> Bool { try column.integer() != 0 }
  /// Binds 1 or 0.
  @inlinable @inline(__always)
  public func bind(to parameter: borrowing Parameter) throws { try parameter.bind(self ? 1 : 0 as Int64) }
}

extension Double: ValueConvertible {
  /// A real. SQLite has no NaN and stores NULL for it: writing an entity with one is an error, and in `SQL` it is NULL.
  public var databaseValue: Value { .real(self) }

  /// Accepts a real, or an integer that a double holds exactly.
  public init(databaseValue: Value) throws {
    switch databaseValue {
    case .real(let value): self = value
    case .integer(let integer):
      guard let value = Double(exactly: integer) else {
        throw DatabaseError.mismatch(expected: "REAL", found: databaseValue)
      }
      self = value
    default: throw DatabaseError.mismatch(expected: "REAL", found: databaseValue)
    }
  }

  /// Reads a real, or an integer that a double holds exactly.
  @inlinable @inline(__always)
  public static func read(_ column: borrowing Column) throws -> Double { try column.real() }
  /// Binds the double.
  @inlinable @inline(__always)
  public func bind(to parameter: borrowing Parameter) throws { try parameter.bind(self) }
}

extension Float: ValueConvertible {
  /// A real of the same value.
  public var databaseValue: Value { Double(self).databaseValue }

  /// Accepts a real, rounded to a float; one too large for a float is an error.
  public init(databaseValue: Value) throws {
    let value = try Double(databaseValue: databaseValue)
    let rounded = Float(value)
    guard rounded.isFinite || !value.isFinite else {
      throw DatabaseError.mismatch(expected: "a REAL that fits Float", found: databaseValue)
    }
    self = rounded
  }

  /// Several: a column may hold any double that rounds to the float.
  @inlinable
  public static var storedForms: StoredForms { .single }
}

extension String: ValueConvertible {
  /// A text.
  public var databaseValue: Value { .text(self) }

  /// Accepts only a text: a number is not converted.
  public init(databaseValue: Value) throws {
    guard case .text(let value) = databaseValue else {
      throw DatabaseError.mismatch(expected: "TEXT", found: databaseValue)
    }
    self = value
  }

  /// Reads the text.
  @inlinable @inline(__always)
  public static func read(_ column: borrowing Column) throws -> String { try column.text() }
  /// Binds the text.
  @inlinable @inline(__always)
  public func bind(to parameter: borrowing Parameter) throws { try parameter.bind(self) }
}

extension Substring: ValueConvertible {
  /// A text.
  public var databaseValue: Value { .text(String(self)) }

  /// Accepts only a text.
  public init(databaseValue: Value) throws { self = Substring(try String(databaseValue: databaseValue)) }
}

extension Array: ValueConvertible where Element == UInt8 {
  /// A blob.
  public var databaseValue: Value { .blob(self) }

  /// Accepts only a blob.
  public init(databaseValue: Value) throws {
    guard case .blob(let value) = databaseValue else {
      throw DatabaseError.mismatch(expected: "BLOB", found: databaseValue)
    }
    self = value
  }

  /// Copies the bytes.
  public static func read(_ column: borrowing Column) throws -> [UInt8] { try column.withBlob { [UInt8]($0) } }
  /// Binds the bytes.
  public func bind(to parameter: borrowing Parameter) throws { try withUnsafeBytes { try parameter.bind($0) } }
}

extension Optional: ValueConvertible where Wrapped: ValueConvertible {
  /// NULL for nil.
  @inlinable
  public var databaseValue: Value {
    get throws { try self?.databaseValue ?? .null }
  }

  /// nil for NULL, and for JSON's `null` if the value is a `JSONColumn`.
  @inlinable
  public init(databaseValue: Value) throws {
    if databaseValue.isNull {
      self = nil
      return
    }
    do {
      self = try Wrapped(databaseValue: databaseValue)
    } catch {
      guard Wrapped.self is any JSONStored.Type, JSONText.isNull(databaseValue) else { throw error }
      self = nil
    }
  }

  /// The forms of the wrapped type.
  @inlinable
  public static var storedForms: StoredForms { Wrapped.storedForms }

  /// Reads nil for NULL.
  @inlinable @inline(__always)
  public static func read(_ column: borrowing Column) throws -> Wrapped? {
    if column.isNull { return nil }
    do {
      return try Wrapped.read(column)
    } catch {
      // A column that holds JSON may hold JSON's `null`.
      guard Wrapped.self is any JSONStored.Type, try JSONText.isNull(column.value()) else { throw error }
      return nil
    }
  }

  /// Binds NULL for nil.
  @inlinable @inline(__always)
  public func bind(to parameter: borrowing Parameter) throws {
    if let self { try self.bind(to: parameter) } else { try parameter.bindNull() }
  }
}

extension RawRepresentable where Self: ValueConvertible, RawValue: ValueConvertible {
  /// The raw value's value.
  @inlinable
  public var databaseValue: Value {
    get throws { try rawValue.databaseValue }
  }

  /// Accepts a raw value for which this type has a case.
  @inlinable
  public init(databaseValue: Value) throws {
    guard let value = Self(rawValue: try RawValue(databaseValue: databaseValue)) else {
      throw DatabaseError.mismatch(expected: "a raw value of \(Self.self)", found: databaseValue)
    }
    self = value
  }

  /// The forms of the raw value.
  @inlinable
  public static var storedForms: StoredForms { RawValue.storedForms == .one ? .one : .raw }
}
