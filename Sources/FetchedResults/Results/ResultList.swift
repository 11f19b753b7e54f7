import DataSources
import SQLiteStore

/// The rows of a result with all that is needed to change them: where each stands, what it is known by and how it compares.
///
/// A row has a slot: a number under which its keys are kept. `order` holds the slots in order; `rows` holds the rows that
/// are shown, in sections. Both are persistent trees, so that the list before a change is still there after it.
///
/// Used by one thread at a time.
final class ResultList<E: Entity> {
  typealias Order = CountedTree<UnitMeasure<UInt32>>

  let query: any ResultQuery<E>
  let operations: EntityOperations<E>
  let order: KeyOrder
  let window: Range<Int>

  /// The rows that are shown, in sections that have rows.
  var rows = Snapshot<E>()
  /// The sections that stand without rows.
  var headers: [SectionHeader] = []
  /// What is published: the rows, and the empty sections.
  var shown = Snapshot<E>()
  /// Why the list is not followed row by row, found when it was fetched.
  var reason: String?

  var slots = Order()
  var keys = KeyBuffer()
  var index: SlotIndex?
  var partners: [PartnerIndex] = []
  var fingerprints: ContiguousArray<UInt64> = []
  var freeSlots: [UInt32] = []
  /// For each slot its id, where the schema does not say that it stands once.
  var ids: [E.ID: UInt32] = [:]
  /// The contents of the rows by id, where they can't be compared and the query is run as a whole.
  var contents: [E.ID: UInt64] = [:]
  /// The contents by the columns that the list before had, where those were others: until that list is compared with.
  var formerContents: [E.ID: UInt64]?
  /// The rows that may differ from those of the list before, where they can't be compared.
  var changedIDs: Set<E.ID> = []
  /// What the list was before it was changed, where its rows can't be compared.
  var before: Before?
  /// Whether the list is being changed, so that an error leaves it half done.
  var isChanging = false
  /// What the last update did, where that was little.
  var single: SingleChange?
  /// The slots of the rows in the window.
  var windowSlots: [UInt32] = []
  /// What was read besides the rows that had changed.
  var extraRowsRead = 0
  /// An entry of `keys` for each section with rows, where the query is run as a whole.
  var sectionEntries: [Int] = []

  struct Before {
    var slots: Order
    var rows: Snapshot<E>
    var windowSlots: [UInt32]
    /// What was overwritten, in order.
    var fingerprints: [(slot: UInt32, content: UInt64)] = []
  }

  init(_ query: any ResultQuery<E>, _ operations: EntityOperations<E>, window: Range<Int>) {
    self.query = query
    self.operations = operations
    self.window = window
    order = query.order
    reason = query.reason
  }

  /// Whether only part of the rows is shown.
  var isWindowed: Bool { window.lowerBound > 0 || window.upperBound < .max }
  var isFollowed: Bool { reason == nil }

  // MARK: Fetching

  /// Fetches all rows, as what becomes of a list that there was before. Returns how many were read.
  func load(_ view: any EngineView, after former: ResultList? = nil) throws -> Int {
    let batch = try query.fetch(view, former: former?.query.contentNames)
    if isFollowed, let first = try firstOutOfOrder(batch.order, view) {
      reason = "an order that can't be told (row \(first))"
    }
    try findRepeated(batch)
    if isFollowed {
      do {
        index = try SlotIndex(batch.keys, count: batch.count)
      } catch {
        throw RepeatedID.error(try id(ofKey: batch.keys.key(error.slot), view), of: E.self)
      }
      partners = batch.partners.map { PartnerIndex($0) }
      keys = batch.order
      slots = Order(0..<UInt32(batch.count))
      let shown = min(window.lowerBound, batch.count)..<min(window.upperBound, batch.count)
      windowSlots = isWindowed ? shown.map { UInt32($0) } : []
      fingerprints = batch.fingerprints
    } else {
      keys = batch.order
      contents = contents(batch, batch.fingerprints)
    }
    if !batch.formerFingerprints.isEmpty { formerContents = contents(batch, batch.formerFingerprints) }
    freeSlots = []
    rows = try sections(of: batch, view)
    headers = try query.headers(view)
    shown = try withHeaders(view)
    return batch.count
  }

  private func id(ofKey key: RowKey, _ view: any EngineView) throws -> E.ID {
    guard let item = try query.rows(of: [key], view).items.first else {
      throw DatabaseError(code: .misuse, message: "a row of \(E.table) stands more than once in the result")
    }
    return item.id
  }

  /// The first row that does not stand behind the one before it, by its key; nil where all do.
  private func firstOutOfOrder(_ buffer: KeyBuffer, _ view: any EngineView) throws -> Int? {
    for row in 0..<max(0, buffer.count - 1) {
      let comparison =
        order.asksEngine
        ? try compare(buffer.bytes(row), buffer.bytes(row + 1), view)
        : KeyBuffer.compare(buffer, row, buffer, row + 1)
      if comparison > 0 { return row + 1 }
    }
    return nil
  }

  private func findRepeated(_ batch: RowBatch<E>) throws {
    ids = [:]
    if isFollowed && query.isIDUnique { return }
    if let item = operations.firstRepeated(batch.items) { throw RepeatedID.error(batch.items[item].id, of: E.self) }
    if !isFollowed { return }
    ids.reserveCapacity(batch.items.count)
    for (place, item) in batch.items.enumerated() { ids[item.id] = UInt32(place + batch.itemsStart) }
  }

  /// The contents of the shown rows, where they can't be compared.
  var contentsByID: [E.ID: UInt64] {
    guard isFollowed else { return contents }
    var contents: [E.ID: UInt64] = [:]
    for (place, item) in rows.items.enumerated() {
      let slot = isWindowed ? windowSlots[place] : slots[place]
      contents[item.id] = fingerprints[Int(slot)]
    }
    return contents
  }

  private func contents(_ batch: RowBatch<E>, _ fingerprints: ContiguousArray<UInt64>) -> [E.ID: UInt64] {
    var contents: [E.ID: UInt64] = [:]
    guard operations.areEqual == nil else { return contents }
    for (place, item) in batch.items.enumerated() {
      contents[item.id] = fingerprints[place + batch.itemsStart]
    }
    return contents
  }

  // MARK: Comparing

  func compare(
    _ left: UnsafeBufferPointer<UInt8>, _ right: UnsafeBufferPointer<UInt8>, _ view: any EngineView
  ) throws -> Int {
    if !order.asksEngine { return KeyBuffer.compare(left, right) }
    return try order.compare(left, right, parts: order.parts.count) { try view.compare($0, $1, $2) }
  }

  /// Whether two keys are of one section.
  func areOfOneSection(
    _ left: UnsafeBufferPointer<UInt8>, _ right: UnsafeBufferPointer<UInt8>, _ view: any EngineView
  ) throws -> Bool {
    if !order.asksEngine { return KeyBuffer.compare(left, right) == 0 }
    return try order.compare(left, right, parts: order.sectionParts) { try view.compare($0, $1, $2) } == 0
  }

  // MARK: Sections

  /// The id of the section that a key is of.
  func sectionID(_ bytes: UnsafeBufferPointer<UInt8>) -> SectionID {
    var reader = KeyReader(bytes)
    for part in order.parts.prefix(order.sectionOrderParts) { _ = reader.skip(part) }
    return reader.read(order.parts[order.sectionOrderParts])
  }

  /// The rows of a batch that are shown, cut into sections.
  private func sections(of batch: RowBatch<E>, _ view: any EngineView) throws -> Snapshot<E> {
    sectionEntries = []
    guard order.hasSections else { return Snapshot([onlySection(batch.items, 0..<batch.items.count)]) }
    var sections: [Section<E>] = []
    var start = 0
    var seen: Set<SectionID> = []
    func close(_ end: Int) throws {
      if start == end { return }
      let row = start + batch.itemsStart
      let title = Section<E>(
        id: sectionID(batch.order.sectionBytes(row)),
        name: batch.names[row] ?? "", items: EmptyCollection())
      if !seen.insert(title.id).inserted { throw disagreement(title.id, title.name) }
      if order.sectionOrderParts > 0, try isEqualByCollation(title.id, toOneOf: sections, view) {
        throw disagreement(title.id, title.name)
      }
      sections.append(operations.section(title, batch.items, start..<end))
      sectionEntries.append(row)
      start = end
    }
    for item in batch.items.indices.dropFirst() {
      let row = item + batch.itemsStart
      if try !areOfOneSection(batch.order.sectionBytes(row - 1), batch.order.sectionBytes(row), view) {
        try close(item)
      }
    }
    try close(batch.items.count)
    return Snapshot(sections)
  }

  /// Whether one of the sections has an id that a collation of one's own takes for the same.
  func isEqualByCollation(
    _ id: SectionID, toOneOf sections: some Sequence<Section<E>>, _ view: any EngineView
  ) throws -> Bool {
    guard case .asked(let collation) = order.parts[order.sectionOrderParts].text, case .text(let text) = id else {
      return false
    }
    for section in sections {
      if case .text(let other) = section.id, try view.compare(collation, text, other) == 0 { return true }
    }
    return false
  }

  /// What a section is called by its id alone; nil where it takes a row to tell.
  func nameOfID(_ id: SectionID) -> String? {
    guard query.isNameOfID else { return nil }
    switch id {
    case .none: return ""
    case .text(let text): return text
    default: return nil
    }
  }

  func disagreement(_ id: SectionID, _ name: String) -> DatabaseError {
    DatabaseError(
      code: .misuse,
      message:
        "the rows of section \"\(name)\" (\(id)) disagree on what `orderedBy` sorts their section by, so that it "
        + "would stand in two places; order by what all rows of a section have in common")
  }

  func onlySection(_ items: ContiguousArray<E>, _ range: Range<Int>) -> Section<E> {
    operations.section(Section(id: .none, name: "", items: EmptyCollection()), items, range)
  }
}
