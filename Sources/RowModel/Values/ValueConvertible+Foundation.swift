// Uses only FoundationEssentials: all of Foundation adds milliseconds to the start of a command.
#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension Data: ValueConvertible {
  /// A blob.
  public var databaseValue: Value { .blob([UInt8](self)) }

  /// Accepts only a blob.
  public init(databaseValue: Value) throws { self = Data(try [UInt8](databaseValue: databaseValue)) }

  /// Copies the bytes.
  public static func read(_ column: borrowing Column) throws -> Data { try column.withBlob { Data($0) } }
  /// Binds the bytes.
  public func bind(to parameter: borrowing Parameter) throws {
    try withUnsafeBytes { try parameter.bind($0) }
  }
}

extension UUID: ValueConvertible {
  /// Its 36 characters, readable in SQL.
  public var databaseValue: Value { .text(uuidString) }

  /// Accepts a text of 36 characters or a blob of 16 bytes.
  public init(databaseValue: Value) throws {
    switch databaseValue {
    case .text(let text):
      if let value = UUID(uuidString: text) {
        self = value
        return
      }
    case .blob(let bytes) where bytes.count == 16:
      self = bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
      return
    default: break
    }
    throw DatabaseError.mismatch(expected: "UUID", found: databaseValue)
  }

  /// Several: texts in any case, and blobs.
  public static var storedForms: StoredForms { .uuid }
}

extension Date: ValueConvertible {
  /// The time in UTC as SQLite's own functions write it: `2031-01-02 14:00:00`.
  ///
  /// It has as many fraction digits as it needs to be read back equal. Texts of that form sort like the times. A time
  /// outside the years 0 to 9999 is stored as a real, in seconds since 1970. A column declared TEXT would convert it to
  /// a text that is no date, so writing an entity with such a value there is an error. So is interpolating such a date
  /// into `SQL`, where the column is not known.
  public var databaseValue: Value { DateText(self).map { .text($0.text) } ?? .real(timeIntervalSince1970) }

  /// Accepts `YYYY-MM-DD`, optionally with a time (after a space or `T`, with or without a fraction, `Z` or an offset),
  /// or a number of seconds since 1970.
  public init(databaseValue: Value) throws {
    switch databaseValue {
    case .integer(let seconds): self = Date(timeIntervalSince1970: Double(seconds))
    case .real(let seconds): self = Date(timeIntervalSince1970: seconds)
    case .text(let text):
      guard let date = DateText.parse(text) else { fallthrough }
      self = date
    default: throw DatabaseError.mismatch(expected: "Date", found: databaseValue)
    }
  }

  /// Several: a time may be written in many ways.
  public static var storedForms: StoredForms { .date }
}

extension URL: ValueConvertible {
  /// Its text, with a base resolved.
  public var databaseValue: Value { .text(absoluteString) }

  /// Accepts a text that is a URL.
  public init(databaseValue: Value) throws {
    guard let url = RowDecoder.plain(URL.self, databaseValue) else {
      throw DatabaseError.mismatch(expected: "URL", found: databaseValue)
    }
    self = url
  }
}

extension Decimal: ValueConvertible {
  /// Its digits as a text, since SQLite's numbers would round them. In SQL, `CAST(price AS REAL)` orders by the number.
  public var databaseValue: Value {
    get throws {
      if isNaN { throw DatabaseError.notANumber }
      return .text(description)
    }
  }

  /// Accepts a text with a decimal number, or a number.
  public init(databaseValue: Value) throws {
    guard let number = RowDecoder.plain(Decimal.self, databaseValue) else {
      throw DatabaseError.mismatch(expected: "a decimal number", found: databaseValue)
    }
    self = number
  }

  /// Several: 1.5 and 1.50 are the same number.
  public static var storedForms: StoredForms { .several }
}
