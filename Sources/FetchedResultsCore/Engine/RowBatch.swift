package import RowModel

/// What an engine returns about rows, besides the rows themselves, which it puts on the list's storage. Each property
/// has an array of its own.
package struct RowBatch {
  /// The first row that is in the storage, in a windowed request; those before it are not shown.
  package var itemsStart = 0
  /// The number of that row in the storage.
  package var firstItem = 0
  package var count = 0
  /// The keys of the entity's rows; empty if the request is not followed row by row.
  package var keys = RowKeys()
  /// For each joined table, its rows' keys, or nil if no row matches.
  package var partners: [ContiguousArray<RowKey?>] = []
  /// The order keys.
  package var order = KeyBuffer()
  /// The section names: for each row that begins a section, if there are sections; for every row, in a batch of single
  /// rows.
  package var names: [Int: String] = [:]
  /// Fingerprints of the contents, if entities can't be compared.
  package var fingerprints: ContiguousArray<UInt64> = []
  /// The same for the columns of an earlier fetch, if those were different and all still exist.
  package var formerFingerprints: ContiguousArray<UInt64> = []
  /// Keys that were read in place of requested ones, because their rows spell the key differently. Only the engine
  /// treats the two spellings as equal.
  package var respelt: [RowKey] = []
  /// What it has cost to read single rows, in a unit of the engine; 0 if it does not count.
  package var steps = 0

  package init() {}
}

/// The keys of many rows.
package struct RowKeys {
  package var numbers: ContiguousArray<Int64> = []
  package var values: ContiguousArray<[Value]> = []

  package func key(_ index: Int) -> RowKey { values.isEmpty ? .number(numbers[index]) : .values(values[index]) }
}

/// A section that exists without rows.
package struct SectionHeader: Sendable {
  /// Its order, encoded like the sections' part of an order key; nil if it follows the one before it.
  package var order: [UInt8]?
  /// The value alone, encoded.
  package var value: [UInt8]
  package var name: String

  package init(order: [UInt8]?, value: [UInt8], name: String) {
    self.order = order
    self.value = value
    self.name = name
  }
}
