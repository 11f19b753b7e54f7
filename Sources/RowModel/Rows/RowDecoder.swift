#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Decodes a `Decodable` type from a row: a keyed container over the columns.
enum RowDecoder {
  static func decode<T: Decodable>(_ type: T.Type, from row: Row) throws -> T {
    try T(from: Source(row: row))
  }

  /// Checks that the id was decoded from `idColumn`, if the row has that column. Otherwise reading, updating or
  /// deleting by it would concern another row.
  static func checkID<E: Entity>(of entity: E, in row: Row) throws {
    guard row.hasColumn(E.idColumn) else { return }
    let index = try row.index(of: E.idColumn)
    let stored: E.ID
    do {
      stored = try row.read(at: index)
    } catch {
      throw DatabaseError.otherID(E.self, "column \"\(E.idColumn)\", its idColumn, holds no such id")
    }
    guard stored != entity.id else { return }
    let (id, other) = (DatabaseError.shown(entity.id), DatabaseError.shown(stored))
    throw DatabaseError.otherID(
      E.self, "its id is \(id), and column \"\(E.idColumn)\", its idColumn, holds \(other)")
  }

  /// A URL or a decimal number that is stored as one plain value. Both can be decoded in several ways, and JSON has its
  /// own way too.
  static func plain<T>(_ type: T.Type, _ value: Value) -> T? {
    switch (type, value) {
    case (is URL.Type, .text(let text)): (text.first == "\"" || text.first == "{" ? nil : URL(string: text)) as? T
    // Foundation ignores what follows a number.
    case (is Decimal.Type, .text(let text)): (isNumber(text) ? Decimal(string: text) : nil) as? T
    case (is Decimal.Type, .integer(let integer)): Decimal(integer) as? T
    // The shortest decimal number that is read as this double, which is what was meant.
    case (is Decimal.Type, .real(let real)): (real.isFinite ? Decimal(string: "\(real)") : nil) as? T
    default: nil
    }
  }

  /// Whether a text is a decimal number and nothing else, such as `-12.50` or `3e8`.
  private static func isNumber(_ text: String) -> Bool {
    var rest = text.utf8[...]
    func skip(_ bytes: String) -> Bool {
      guard let first = rest.first, bytes.utf8.contains(first) else { return false }
      rest.removeFirst()
      return true
    }
    func digits() -> Int {
      let count = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }.count
      rest.removeFirst(count)
      return count
    }
    _ = skip("+-")
    let whole = digits()
    let fraction = skip(".") ? digits() : 0
    guard whole + fraction > 0 else { return false }
    if skip("eE") {
      _ = skip("+-")
      guard digits() > 0 else { return false }
    }
    return rest.isEmpty
  }

  private struct Source: Decoder {
    let row: Row
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
      KeyedDecodingContainer(Columns<Key>(row: row))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
      throw DatabaseError.misuse("a row is decoded by its columns' names, not as an array")
    }

    func singleValueContainer() throws -> any SingleValueDecodingContainer {
      throw DatabaseError.misuse("a row is decoded by its columns' names, not as a single value")
    }
  }

  private struct Columns<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let row: Row
    var codingPath: [any CodingKey] { [] }
    var allKeys: [Key] { row.columnNames.compactMap(Key.init(stringValue:)) }

    func contains(_ key: Key) -> Bool { row.hasColumn(key.stringValue) }

    func decodeNil(forKey key: Key) throws -> Bool {
      try row.read(at: row.index(of: key.stringValue), as: Value.self).isNull
    }

    private func read<T: ValueConvertible>(_ key: Key) throws -> T {
      try row.read(at: row.index(of: key.stringValue))
    }

    func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try read(key) }
    func decode(_ type: String.Type, forKey key: Key) throws -> String { try read(key) }
    func decode(_ type: Double.Type, forKey key: Key) throws -> Double { try read(key) }
    func decode(_ type: Float.Type, forKey key: Key) throws -> Float { try read(key) }
    func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try read(key) }
    func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 { try read(key) }
    func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 { try read(key) }
    func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 { try read(key) }
    func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 { try read(key) }
    func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt { try read(key) }
    func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 { try read(key) }
    func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 { try read(key) }
    func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 { try read(key) }
    func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 { try read(key) }

    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
      // A URL or a decimal number may also be JSON here.
      if !(type is URL.Type || type is Decimal.Type), let convertible = type as? any ValueConvertible.Type,
        let value = try open(convertible, key) as? T
      {
        return value
      }
      // A raw-valued enumeration that isn't ValueConvertible is read from its raw value; everything else as JSON.
      let value = try read(key) as Value
      if let plain = RowDecoder.plain(type, value) { return plain }
      let single = Single(value)
      let result = Result { try T(from: single) }
      // JSON is for types with more than one value, not for a value of the wrong type. A type may accept both: if it
      // asks for more than one value first, it gets them if they are there.
      guard single.isAskedForContainer else {
        do { return try result.get() } catch { throw mismatch(key, "\(type)", value) }
      }
      do {
        return try JSONDecoder().decode(type, from: JSONText.data(of: value))
      } catch {
        if case .success(let decoded) = result { return decoded }
        throw mismatch(key, "\(type), or JSON of it", value)
      }
    }

    /// Nil for NULL, and for JSON's `null` if the type is stored as JSON.
    func decodeIfPresent<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T? {
      guard contains(key), try !decodeNil(forKey: key) else { return nil }
      do {
        return try decode(type, forKey: key)
      } catch let error as DatabaseError {
        let isJSON = type is any JSONStored.Type || !(type is any ValueConvertible.Type) && isStoredAsJSON(type)
        guard error.code == .mismatch, JSONText.isNull(try read(key)), isJSON else { throw error }
        return nil
      }
    }

    private func isStoredAsJSON<T: Decodable>(_ type: T.Type) -> Bool {
      let single = Single(.null)
      do {
        _ = try T(from: single)
      } catch {
        return single.isAskedForContainer
      }
      return false
    }

    private func open<C: ValueConvertible>(_ type: C.Type, _ key: Key) throws -> C { try read(key) }

    private func mismatch(_ key: Key, _ expected: String, _ value: Value) -> DatabaseError {
      let problem = DatabaseError.mismatch(expected: expected, found: value)
      return DatabaseError(
        code: .mismatch, message: "column \"\(key.stringValue)\": \(problem.message)", sql: row.sql,
        columns: [key.stringValue])
    }

    func nestedContainer<NestedKey: CodingKey>(
      keyedBy type: NestedKey.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<NestedKey> {
      throw nesting(key)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer { throw nesting(key) }
    func superDecoder() throws -> any Decoder { Source(row: row) }
    func superDecoder(forKey key: Key) throws -> any Decoder { Source(row: row) }

    private func nesting(_ key: Key) -> DatabaseError {
      .misuse("column \"\(key.stringValue)\" holds one value; give the property a Codable type of its own")
    }
  }

  /// One value, for types that decode from a single-value container.
  private final class Single: Decoder, SingleValueDecodingContainer {
    let value: Value
    /// Whether the type consists of more than one value.
    private(set) var isAskedForContainer = false

    init(_ value: Value) { self.value = value }

    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
      isAskedForContainer = true
      throw notSingle
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
      isAskedForContainer = true
      throw notSingle
    }

    func singleValueContainer() -> any SingleValueDecodingContainer { self }
    private var notSingle: DatabaseError { DatabaseError.mismatch(expected: "a single value", found: value) }

    func decodeNil() -> Bool { value.isNull }
    func decode(_ type: Bool.Type) throws -> Bool { try type.init(databaseValue: value) }
    func decode(_ type: String.Type) throws -> String { try type.init(databaseValue: value) }
    func decode(_ type: Double.Type) throws -> Double { try type.init(databaseValue: value) }
    func decode(_ type: Float.Type) throws -> Float { try type.init(databaseValue: value) }
    func decode(_ type: Int.Type) throws -> Int { try type.init(databaseValue: value) }
    func decode(_ type: Int8.Type) throws -> Int8 { try type.init(databaseValue: value) }
    func decode(_ type: Int16.Type) throws -> Int16 { try type.init(databaseValue: value) }
    func decode(_ type: Int32.Type) throws -> Int32 { try type.init(databaseValue: value) }
    func decode(_ type: Int64.Type) throws -> Int64 { try type.init(databaseValue: value) }
    func decode(_ type: UInt.Type) throws -> UInt { try type.init(databaseValue: value) }
    func decode(_ type: UInt8.Type) throws -> UInt8 { try type.init(databaseValue: value) }
    func decode(_ type: UInt16.Type) throws -> UInt16 { try type.init(databaseValue: value) }
    func decode(_ type: UInt32.Type) throws -> UInt32 { try type.init(databaseValue: value) }
    func decode(_ type: UInt64.Type) throws -> UInt64 { try type.init(databaseValue: value) }

    func decode<T: Decodable>(_ type: T.Type) throws -> T {
      if let convertible = type as? any ValueConvertible.Type,
        let value = try convertible.init(databaseValue: value) as? T
      {
        return value
      }
      if let plain = RowDecoder.plain(type, value) { return plain }
      return try T(from: self)
    }
  }
}
