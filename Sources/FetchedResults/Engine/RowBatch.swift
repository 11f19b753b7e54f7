import SQLiteStore

/// What an engine delivers of rows besides the rows themselves, which it puts on the list's shelf: each thing that is known
/// of them in an array of its own.
struct RowBatch {
  /// The first row that is on the shelf, in a windowed request; those before it are not shown.
  var itemsStart = 0
  /// What number that row has on the shelf.
  var firstItem = 0
  var count = 0
  /// What the entity's rows are known by; empty where the request is not followed row by row.
  var keys = RowKeys()
  /// For each joined table, its rows' keys, nil where there is none.
  var partners: [ContiguousArray<RowKey?>] = []
  /// The order keys.
  var order = KeyBuffer()
  /// For each row that begins a section, where sections are; for every row, in a batch of single ones.
  var names: [Int: String] = [:]
  /// The contents, where entities can't be compared.
  var fingerprints: ContiguousArray<UInt64> = []
  /// The same by the columns of a former fetch, where those were others and are all there still.
  var formerFingerprints: ContiguousArray<UInt64> = []
  /// Keys under which rows were found that had been asked for by keys that only the engine takes for equal.
  var respelt: [RowKey] = []
}

/// The keys of many rows.
struct RowKeys {
  var numbers: ContiguousArray<Int64> = []
  var values: ContiguousArray<[Value]> = []

  func key(_ index: Int) -> RowKey { values.isEmpty ? .number(numbers[index]) : .values(values[index]) }
}

/// A section that stands without rows.
struct SectionHeader: Sendable {
  /// What orders it, encoded as the sections' part of an order key; nil where it stands behind the one before it.
  var order: [UInt8]?
  /// The value alone, encoded.
  var value: [UInt8]
  var name: String
}
