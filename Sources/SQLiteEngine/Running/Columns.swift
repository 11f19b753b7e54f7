import CFetchedResultsSQLite
import FetchedResultsCore
import RowModel
import SQLiteStore

/// Reads what a statement's rows hold besides the entity: keys, order and names.
struct Columns: Sendable {
  private let entityKey: [Int32]
  private let isRowID: Bool
  private let partners: [(columns: [Int32], isRowID: Bool)]
  private let order: [(column: Int32, part: KeyOrder.Part)]
  private let sectionParts: Int
  private let name: Int32?
  private let content: Int32
  private let added: Int32
  private let isSingle: Bool
  private let firstShown: Int
  /// Set if the content had fewer columns before the schema was changed.
  private let former: FormerColumns?
  /// A hash of the names of those columns: other columns with the same values are different content.
  private let names: UInt64
  private let formerNames: UInt64

  init(_ plan: QueryPlan, _ count: Int32, isSingle: Bool, former: FormerColumns? = nil) {
    entityKey = plan.entityKey.map { $0.index(of: count) }
    isRowID = plan.isEntityKeyRowID
    partners = plan.partnerKeys.map { (columns: $0.places.map { $0.index(of: count) }, isRowID: $0.isRowID) }
    let order = zip(plan.orderPlaces, plan.order.parts).map { (column: $0.index(of: count), part: $1) }
    // If the whole query is run each time, SQLite's order is used as it is, and only the sections must be told apart.
    self.order = plan.reason == nil ? order : Array(order.prefix(plan.order.sectionParts))
    sectionParts = plan.order.sectionParts
    name = plan.namePlace?.index(of: count)
    // The columns that were added come after the entity's.
    var last = count
    for place in plan.entityKey + plan.partnerKeys.flatMap(\.places) + plan.orderPlaces {
      if case .back = place { last = min(last, place.index(of: count)) }
    }
    if let place = plan.namePlace, case .back = place { last = min(last, place.index(of: count)) }
    content = last
    added = count - last
    names = Self.number(of: plan.contentNames)
    self.former = former
    formerNames = Self.number(of: former?.names ?? [])
    self.isSingle = isSingle
    firstShown = plan.window.lowerBound
  }

  /// Lets rows show only the entity's columns.
  @inline(__always)
  func hideAdded(_ cursor: Cursor) { cursor.hide(last: added) }

  /// Reads the current row, and appends it to a batch.
  @inline(__always)
  func read(_ cursor: Cursor, into batch: inout RowBatch, isFingerprinted: Bool) throws {
    let statement = cursor.handle
    if isFingerprinted {
      batch.fingerprints.append(fingerprint(statement, 0..<content, names))
      if let former {
        batch.formerFingerprints.append(
          try former.isUnwritten(cursor)
            ? fingerprint(statement, former.kept, formerNames)
            : batch.fingerprints[batch.fingerprints.count - 1])
      }
    }
    if isRowID {
      if let column = entityKey.first { batch.keys.numbers.append(sqlite3_column_int64(statement, column)) }
    } else if case .values(let values) = try Self.key(cursor, entityKey, isRowID: false) {
      batch.keys.values.append(values)
    }
    for index in partners.indices {
      batch.partners[index].append(try Self.partner(cursor, partners[index]))
    }
    readOrder(statement, into: batch.order)
    if sectionParts > 0, let name, isSingle || batch.count == firstShown || Self.beginsSection(batch.order) {
      batch.names[batch.count] = Self.text(statement, name)
    }
    batch.count += 1
  }

  @inline(__always)
  private func readOrder(_ statement: OpaquePointer, into buffer: KeyBuffer) {
    let start = buffer.beginEntry()
    var index = 0
    for (column, part) in order {
      Self.encode(statement, column, part, into: buffer)
      index += 1
      if index == sectionParts { buffer.endSectionPart(of: start) }
    }
    if sectionParts == 0 || order.isEmpty { buffer.endEmptySectionPart(of: start) }
    buffer.endEntry(start)
  }

  private static func beginsSection(_ order: KeyBuffer) -> Bool {
    let last = order.count - 1
    return last == 0 || KeyBuffer.compare(order.sectionBytes(last - 1), order.sectionBytes(last)) != 0
  }

  /// Appends a column's value to an order key.
  @inline(__always)
  static func encode(_ statement: OpaquePointer, _ column: Int32, _ part: KeyOrder.Part, into buffer: KeyBuffer) {
    guard let value = sqlite3_column_value(statement, column) else { return buffer.appendNull(part) }
    switch sqlite3_value_type(value) {
    case SQLITE_INTEGER: buffer.append(sqlite3_value_int64(value), part)
    case SQLITE_FLOAT: buffer.append(sqlite3_value_double(value), part)
    case SQLITE_TEXT: encodeText(statement, column, part, into: buffer)
    case SQLITE_BLOB:
      let start = sqlite3_column_blob(statement, column)?.assumingMemoryBound(to: UInt8.self)
      let count = Int(sqlite3_column_bytes(statement, column))
      buffer.append(blob: UnsafeBufferPointer(start: start, count: count), part)
    default: buffer.appendNull(part)
    }
  }

  private static func encodeText(
    _ statement: OpaquePointer, _ column: Int32, _ part: KeyOrder.Part, into buffer: KeyBuffer
  ) {
    if case .utf16(let isBigEndian) = part.text {
      let start = sqlite3_column_text16(statement, column)?.assumingMemoryBound(to: UInt16.self)
      let units = UnsafeBufferPointer(start: start, count: Int(sqlite3_column_bytes16(statement, column)) / 2)
      var bytes: [UInt8] = []
      for unit in units {
        bytes.append(UInt8(truncatingIfNeeded: isBigEndian ? unit >> 8 : unit))
        bytes.append(UInt8(truncatingIfNeeded: isBigEndian ? unit : unit >> 8))
      }
      bytes.withUnsafeBufferPointer { buffer.append(text: $0, part) }
      return
    }
    let start = sqlite3_column_text(statement, column)
    buffer.append(
      text: UnsafeBufferPointer(start: start, count: Int(sqlite3_column_bytes(statement, column))), part)
  }

  /// A column's value as SQLite prints it.
  static func text(_ statement: OpaquePointer, _ column: Int32) -> String {
    guard let start = sqlite3_column_text(statement, column) else { return "" }
    return String(
      decoding: UnsafeBufferPointer(start: start, count: Int(sqlite3_column_bytes(statement, column))), as: UTF8.self)
  }

  static func key(_ cursor: Cursor, _ columns: [Int32], isRowID: Bool) throws -> RowKey {
    if isRowID { return .number(sqlite3_column_int64(cursor.handle, columns[0])) }
    return .values(try columns.map { try cursor.value($0) })
  }

  /// The key of the entity's row.
  func entityKey(_ cursor: Cursor) throws -> RowKey { try Self.key(cursor, entityKey, isRowID: isRowID) }

  private static func partner(_ cursor: Cursor, _ partner: (columns: [Int32], isRowID: Bool)) throws -> RowKey? {
    if sqlite3_column_type(cursor.handle, partner.columns[0]) == SQLITE_NULL { return nil }
    return try key(cursor, partner.columns, isRowID: partner.isRowID)
  }

  private static func number(of names: [String]) -> UInt64 {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for name in names {
      for byte in name.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
      hash = (hash ^ 0xFF) &* 0x100_0000_01B3
    }
    return hash
  }

  /// A fingerprint of the stored values of the entity's columns.
  private func fingerprint(_ statement: OpaquePointer, _ columns: some Sequence<Int32>, _ names: UInt64) -> UInt64 {
    var hash = names
    func feed(_ number: UInt64) {
      let product = (hash ^ number).multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15)
      hash = product.high ^ product.low &+ 0x632B_E59B_D9B4_E019
    }
    for column in columns {
      let type = sqlite3_column_type(statement, column)
      feed(UInt64(type))
      // Always in the same encoding, whatever was read of the row before.
      if type == SQLITE_TEXT { _ = sqlite3_column_text(statement, column) }
      switch type {
      case SQLITE_INTEGER: feed(UInt64(bitPattern: sqlite3_column_int64(statement, column)))
      case SQLITE_FLOAT: feed(sqlite3_column_double(statement, column).bitPattern)
      case SQLITE_TEXT, SQLITE_BLOB:
        let bytes = UnsafeRawBufferPointer(
          start: sqlite3_column_blob(statement, column), count: Int(sqlite3_column_bytes(statement, column)))
        feed(UInt64(bytes.count))
        var index = 0
        while index + 8 <= bytes.count {
          feed(bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self))
          index += 8
        }
        var rest: UInt64 = 0
        for byte in bytes[index...] { rest = rest << 8 | UInt64(byte) }
        feed(rest)
      default: break
      }
    }
    return hash
  }
}
