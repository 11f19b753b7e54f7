import SQLiteStore

/// What an engine returns about rows, besides the rows themselves, which it puts on the list's storage. Each property
/// has an array of its own.
struct RowBatch {
  /// The first row that is in the storage, in a windowed request; those before it are not shown.
  var itemsStart = 0
  /// The number of that row in the storage.
  var firstItem = 0
  var count = 0
  /// The keys of the entity's rows; empty if the request is not followed row by row.
  var keys = RowKeys()
  /// For each joined table, its rows' keys, or nil if no row matches.
  var partners: [ContiguousArray<RowKey?>] = []
  /// The order keys.
  var order = KeyBuffer()
  /// The section names: for each row that begins a section, if there are sections; for every row, in a batch of single
  /// rows.
  var names: [Int: String] = [:]
  /// Fingerprints of the contents, if entities can't be compared.
  var fingerprints: ContiguousArray<UInt64> = []
  /// The same for the columns of an earlier fetch, if those were different and all still exist.
  var formerFingerprints: ContiguousArray<UInt64> = []
  /// Keys of rows that were found by other keys, which only the engine treats as equal.
  var respelt: [RowKey] = []
}

/// The keys of many rows.
struct RowKeys {
  var numbers: ContiguousArray<Int64> = []
  var values: ContiguousArray<[Value]> = []

  func key(_ index: Int) -> RowKey { values.isEmpty ? .number(numbers[index]) : .values(values[index]) }
}

/// A section that exists without rows.
struct SectionHeader: Sendable {
  /// Its order, encoded like the sections' part of an order key; nil if it follows the one before it.
  var order: [UInt8]?
  /// The value alone, encoded.
  var value: [UInt8]
  var name: String
}
