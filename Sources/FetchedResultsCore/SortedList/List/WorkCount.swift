import RowModel

/// How much incremental evaluations have done, in counts that depend on no clock and no machine.
///
/// Tests compare the work of a commit with the rows that it concerned. Each count is added up once per step of an
/// evaluation, so that counting costs nothing noticeable.
package struct WorkCount: Hashable, Sendable {
  /// The keys of changed rows that the commits reported, counted once for each table.
  package var changed = 0
  /// The keys of the entity's rows that depend on them, before and after.
  package var affected = 0
  /// Rows that were read.
  package var rowsRead = 0
  /// Comparisons of order keys and of texts.
  package var comparisons = 0
  /// Sections that were looked at, made or moved.
  package var sections = 0
  /// Rows of a window that were looked at or moved.
  package var windowRows = 0
  /// Entries of an index that were copied although it did not grow.
  package var copied = 0

  /// What reading the rows has cost the engine, in its own unit. It is no part of the total.
  package var steps = 0
  /// Read transactions of evaluations.
  package var reads = 0
  /// Whole queries that began. They are no part of the total.
  package var fetches = 0
  /// Sections without rows that were read, because their table has changed. They are no part of the total.
  package var headers = 0

  package init() {}

  /// What an evaluation may do only in proportion to `changed` and `affected`.
  package var total: Int { reads + rowsRead + comparisons + sections + windowRows + copied }

  package static func += (left: inout Self, right: Self) {
    left.changed += right.changed
    left.affected += right.affected
    left.rowsRead += right.rowsRead
    left.comparisons += right.comparisons
    left.sections += right.sections
    left.windowRows += right.windowRows
    left.copied += right.copied
    left.headers += right.headers
    left.reads += right.reads
    left.fetches += right.fetches
    left.steps += right.steps
  }

  package static func - (left: Self, right: Self) -> Self {
    var difference = Self()
    difference.changed = left.changed - right.changed
    difference.affected = left.affected - right.affected
    difference.rowsRead = left.rowsRead - right.rowsRead
    difference.comparisons = left.comparisons - right.comparisons
    difference.sections = left.sections - right.sections
    difference.windowRows = left.windowRows - right.windowRows
    difference.copied = left.copied - right.copied
    difference.headers = left.headers - right.headers
    difference.reads = left.reads - right.reads
    difference.fetches = left.fetches - right.fetches
    difference.steps = left.steps - right.steps
    return difference
  }
}

/// Where a collection keeps its elements, to notice that they were copied.
struct StorageMark: Equatable {
  private let address: UInt
  private let capacity: Int

  init<Key, Value>(_ dictionary: [Key: Value]) {
    address = Self.word(dictionary)
    capacity = dictionary.capacity
  }

  /// Whether the elements were copied to other memory of the same size. Memory that has grown doesn't count: that
  /// happens so rarely that each insertion pays for a constant part of it.
  func isCopied(in later: StorageMark) -> Bool { address != later.address && capacity == later.capacity }

  /// A dictionary is one reference to its elements.
  private static func word<T>(_ value: T) -> UInt {
    withUnsafeBytes(of: value) { $0.count >= MemoryLayout<UInt>.size ? $0.load(as: UInt.self) : 0 }
  }
}
