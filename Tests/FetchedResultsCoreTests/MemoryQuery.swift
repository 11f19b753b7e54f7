import EngineConformance
import FetchedResultsCore
import RowModel

/// A request as the database in memory runs it: columns to sort by, a column of sections, and a comparison of a column
/// with a number.
final class MemoryQuery: ResultQuery {
  let identity = QueryIdentity()
  let dependencies = [ResultDependency(table: Entry.table, role: .entity)]
  let order: KeyOrder
  private let columns: [String]
  private let comparison: (column: String, limit: Int64)?
  private let window: Range<Int>
  private let fault: MemoryDatabase.Fault?

  init(_ request: RequestDescription, _ fault: MemoryDatabase.Fault?) throws {
    guard case .pieces(nil, let select, let condition) = request.source, select.isEmpty else {
      throw DatabaseError.misuse("this database lists the rows of its only table")
    }
    self.fault = fault
    switch condition {
    case .sql(let sql)?: comparison = try Self.parsed(sql.text)
    case .both?, .predicate?: throw DatabaseError.misuse("this database has no predicates")
    case nil: comparison = nil
    }
    window = request.window
    let terms = (request.sectionBy.map { [.ascending($0.value)] } ?? []) + request.orderBy
    columns = terms.map(\.expression.text) + [Entry.idColumn]
    let text = fault == .ordersOtherwise ? KeyOrder.Part.Text.nocase : .bytes
    let parts = (terms.map { $0.direction == .descending } + [false]).map { isDescending in
      KeyOrder.Part(text: text, isDescending: isDescending, isNullLast: false)
    }
    order = KeyOrder(parts: parts, sectionOrderParts: 0, hasSections: request.sectionBy != nil)
    for column in columns where !Self.names.contains(column) {
      throw DatabaseError.misuse("there is no column \"\(column)\"")
    }
  }

  private static let names = ["id", "list", "title", "rank"]

  /// Reads "column > number".
  private static func parsed(_ text: String) throws -> (column: String, limit: Int64) {
    let words = text.split(separator: " ")
    guard words.count == 3, words[1] == ">", let limit = Int64(words[2]), names.contains(String(words[0])) else {
      throw DatabaseError.misuse("a condition is \"column > number\", and not \"\(text)\"")
    }
    return (String(words[0]), limit)
  }

  var reason: String? { nil }
  var isNameOfID: Bool { true }
  var isIDUnique: Bool { true }
  var numberOfPartners: Int { 0 }
  var hasHeaders: Bool { false }
  var condition: RowCondition? { nil }
  var lostIndexes: Set<String> { [] }
  var contentNames: [String] { Self.names }

  func fetch(_ view: any EngineView, onto storage: RowOperations, former: [String]?) throws -> RowBatch {
    var batch = RowBatch()
    batch.itemsStart = window.lowerBound
    let rows = try state(view).rows.values.filter(isIncluded).map { (values: values($0), entry: $0) }
    for (_, entry) in rows.sorted(by: { precedes($0.values, $1.values) }) {
      if window.contains(batch.count) { try storage.append(row(entry)) }
      add(entry, to: &batch, isSingle: false)
    }
    return batch
  }

  func rows(of keys: [RowKey], _ view: any EngineView, onto storage: RowOperations) throws -> RowBatch {
    var batch = RowBatch()
    batch.firstItem = storage.count()
    let state = try state(view)
    for case .number(let id) in keys {
      guard let entry = state.rows[id], fault == .ignoresCondition || isIncluded(entry) else { continue }
      try storage.append(row(entry))
      add(entry, to: &batch, isSingle: true)
    }
    return batch
  }

  func affected(
    by rows: [RowKey], of dependency: Int, within limit: inout SearchLimit, _ view: any EngineView
  ) throws -> [RowKey] {
    rows
  }

  func wording(of dependency: Int) -> SQL? { nil }
  func headers(_ view: any EngineView) throws -> [SectionHeader] { [] }
  func isStale(_ view: any EngineView) throws -> Bool { false }
  func isOvertaken(_ view: any EngineView) throws -> Bool { false }

  // MARK: Rows

  private func state(_ view: any EngineView) throws -> MemoryDatabase.State {
    guard let view = view as? MemoryView else { throw DatabaseError.misuse("a view of another engine") }
    return view.state
  }

  private func isIncluded(_ entry: Entry) -> Bool {
    guard let comparison, case .integer(let number) = value(entry, comparison.column) else { return true }
    return number > comparison.limit
  }

  private func value(_ entry: Entry, _ column: String) -> Value {
    switch column {
    case "id": .integer(entry.id)
    case "list": .text(entry.list)
    case "title": .text(entry.title)
    default: .integer(entry.rank)
    }
  }

  private func values(_ entry: Entry) -> [Value] { columns.map { value(entry, $0) } }

  private func row(_ entry: Entry) -> Row {
    Row(columns: Self.names, values: Self.names.map { value(entry, $0) })
  }

  /// Whether a row comes before another one, by the values that rows are sorted by.
  private func precedes(_ left: [Value], _ right: [Value]) -> Bool {
    for (index, part) in order.parts.enumerated() {
      let (first, second) = part.isDescending ? (right[index], left[index]) : (left[index], right[index])
      switch (first, second) {
      case (.integer(let first), .integer(let second)) where first != second: return first < second
      case (.text(let first), .text(let second)) where !first.utf8.elementsEqual(second.utf8):
        return first.utf8.lexicographicallyPrecedes(second.utf8)
      default: continue
      }
    }
    return false
  }

  private func add(_ entry: Entry, to batch: inout RowBatch, isSingle: Bool) {
    batch.keys.numbers.append(entry.id)
    let start = batch.order.beginEntry()
    for (index, part) in order.parts.enumerated() {
      switch value(entry, columns[index]) {
      case .integer(let number): batch.order.append(number, part)
      case .text(var text): text.withUTF8 { batch.order.append(text: $0, part) }
      default: batch.order.appendNull(part)
      }
      if index + 1 == order.sectionParts { batch.order.endSectionPart(of: start) }
    }
    if order.sectionParts == 0 { batch.order.endEmptySectionPart(of: start) }
    batch.order.endEntry(start)
    if order.hasSections, isSingle || beginsSection(batch) { batch.names[batch.count] = entry.list }
    batch.count += 1
  }

  /// Whether the last row of a batch is the first one shown, or in another section than the one before it.
  private func beginsSection(_ batch: RowBatch) -> Bool {
    let last = batch.order.count - 1
    return last == 0 || last == window.lowerBound
      || KeyBuffer.compare(batch.order.sectionBytes(last - 1), batch.order.sectionBytes(last)) != 0
  }
}
