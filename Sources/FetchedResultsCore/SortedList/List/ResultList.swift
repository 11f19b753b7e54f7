import DataSources
import RowModel

/// The rows of a result with everything needed to change them: their positions, keys and order keys.
///
/// A row has a slot: a number under which its keys are stored. `slots` holds the slots in order; the rows themselves,
/// in sections, are in the storage. This type does not know the type of the rows.
///
/// Used by one thread at a time.
final class ResultList {
  let query: any ResultQuery
  /// The rows: those read, the list, and those shown.
  let storage: RowOperations
  let order: KeyOrder
  /// Whether comparing keys takes more than comparing their bytes.
  let asksEngine: Bool
  let window: Range<Int>

  /// The sections that exist without rows. See `setHeaders`.
  var headers: [SectionHeader] = []
  /// Why the list is not followed row by row, found when it was fetched.
  var reason: String?

  let slots = SlotOrder()
  var keys = KeyBuffer()
  var index: SlotIndex?
  var partners: [PartnerIndex] = []
  var fingerprints: ContiguousArray<UInt64> = []
  /// The same for the columns of the previous list, if those were different, until this list has been compared with it.
  var formerFingerprints: ContiguousArray<UInt64> = []
  var freeSlots: [UInt32] = []
  /// What is needed to undo a change, if rows can't be compared.
  var before: Before?
  /// Whether a change of the list is in progress, so that an error leaves it incomplete.
  var isChanging = false
  /// The change of the last update, if it was a single row.
  var single: SingleChange?
  /// The changes of the last update, if it was a few rows and the sections have stayed.
  var several: SeveralChanges?
  /// The positions of the rows that are in the storage: all of them, or those in the window.
  var shown = 0..<0
  /// The shown sections that have rows, if rows of a section could be in two places.
  var sectionIDs = SectionIDs()
  /// The sections in `headers`, by their indices.
  var headerIDs = SectionIDs()
  /// Whether each of the sections in `headers` has an order of its own.
  var haveHeadersOrder = true
  /// Whether the sections in `headers` are shown, among the sections with rows.
  var isShown = false
  /// The sections that have rows, in the window or outside, if that decides which ones are shown without rows. The
  /// number is that of places where rows of the section follow each other.
  var sectionsWithRows = SectionIDs()
  /// Those that began or ceased to have rows in the last update.
  var otherWithRows: [SectionID] = []
  /// The number of rows read in addition to the changed rows.
  var extraRowsRead = 0
  /// What the last update has done.
  var work = WorkCount()
  /// An entry of `keys` for each section with rows, if the whole query is run each time.
  var sectionEntries: [Int] = []
  /// The sections of rows outside the window, if the whole query is run each time and empty sections are shown.
  var outsideSections: Set<SectionID> = []

  struct Before {
    var shown: Range<Int>
    /// The overwritten values, in order.
    var fingerprints: [(slot: UInt32, content: UInt64)] = []
    /// The insertions into the order and removals from it.
    var edits: [(slot: UInt32, place: Int, isInsertion: Bool)] = []
  }

  init(_ query: any ResultQuery, _ storage: RowOperations, window: Range<Int>) {
    self.query = query
    self.storage = storage
    self.window = window
    order = query.order
    asksEngine = order.asksEngine
    reason = query.reason
  }

  /// Whether only part of the rows is shown.
  var isWindowed: Bool { window.lowerBound > 0 || window.upperBound < .max }
  var isFollowed: Bool { reason == nil }
  /// Whether a section's id must be looked up before it is inserted.
  var checksSections: Bool { order.sectionOrderParts > 0 || isWindowed }
  /// Whether an id may occur twice.
  var checksIDs: Bool { !query.isIDUnique || storage.hasTextIDs }
  /// Whether it matters which sections have rows outside the window.
  var hasOutsideSections: Bool { isWindowed && query.hasHeaders && order.hasSections }

  // MARK: Fetching

  /// Fetches all rows, as the successor of a previous list. Returns how many were read.
  func load(_ view: any EngineView, after former: ResultList? = nil) throws -> Int {
    storage.clear()
    let batch = try query.fetch(view, onto: storage, former: former?.query.contentNames)
    if isFollowed, let first = try firstOutOfOrder(batch.order, view) {
      reason = "an order that can't be told (row \(first))"
    }
    if !isFollowed || checksIDs {
      try storage.findRepeated(isFollowed ? batch.itemsStart : nil, isFollowed && query.isIDUnique)
    }
    keys = batch.order
    fingerprints = batch.fingerprints
    formerFingerprints = batch.formerFingerprints
    freeSlots = []
    if isFollowed {
      do {
        index = try SlotIndex(batch.keys, count: batch.count)
      } catch {
        throw try repeatedKey(batch.keys.key(error.slot), view)
      }
      partners = batch.partners.map { PartnerIndex($0) }
      slots.reset(count: batch.count)
      shown = min(window.lowerBound, batch.count)..<min(window.upperBound, batch.count)
    }
    try makeSections(of: batch, view)
    try setHeaders(query.headers(view), view)
    try show(view)
    storage.clear()
    return batch.count
  }

  private func repeatedKey(_ key: RowKey, _ view: any EngineView) throws -> any Error {
    let batch = try query.rows(of: [key], view, onto: storage)
    guard storage.count() > batch.firstItem else {
      return DatabaseError(code: .misuse, message: "a row occurs more than once in the result")
    }
    return storage.repeated(batch.firstItem)
  }

  /// The first row whose key is less than that of the row before it; nil if not found.
  private func firstOutOfOrder(_ buffer: KeyBuffer, _ view: any EngineView) throws -> Int? {
    for row in 0..<max(0, buffer.count - 1) {
      let comparison =
        asksEngine
        ? try compare(buffer.bytes(row), buffer.bytes(row + 1), view)
        : KeyBuffer.compare(buffer, row, buffer, row + 1)
      if comparison > 0 { return row + 1 }
    }
    return nil
  }

  /// The content of a shown row, if rows can't be compared; for the columns of the previous list, if `former`.
  func content(ofShown place: Int, former: Bool = false) -> UInt64 {
    let contents = former && !formerFingerprints.isEmpty ? formerFingerprints : fingerprints
    guard isFollowed else { return contents[place + window.lowerBound] }
    return contents[Int(slots[place + shown.lowerBound])]
  }

  // MARK: Comparing

  @inline(__always)
  func compare(
    _ left: UnsafeBufferPointer<UInt8>, _ right: UnsafeBufferPointer<UInt8>, _ view: any EngineView
  ) throws -> Int {
    if !asksEngine { return KeyBuffer.compare(left, right) }
    return try order.compare(left, right, parts: order.parts.count) { try view.compare($0, $1, $2) }
  }

  /// Whether two keys belong to the same section.
  func areOfOneSection(
    _ left: UnsafeBufferPointer<UInt8>, _ right: UnsafeBufferPointer<UInt8>, _ view: any EngineView
  ) throws -> Bool {
    if !asksEngine { return KeyBuffer.compare(left, right) == 0 }
    return try order.compare(left, right, parts: order.sectionParts) { try view.compare($0, $1, $2) } == 0
  }

  // MARK: Sections

  /// The id of the section of a key.
  func sectionID(_ bytes: UnsafeBufferPointer<UInt8>) -> SectionID {
    var reader = KeyReader(bytes)
    for part in order.parts.prefix(order.sectionOrderParts) { _ = reader.skip(part) }
    return reader.read(order.parts[order.sectionOrderParts])
  }

  /// Makes the list of the shown rows of a batch, divided into sections.
  private func makeSections(of batch: RowBatch, _ view: any EngineView) throws {
    sectionEntries = []
    outsideSections = []
    if !isFollowed, isWindowed, query.hasHeaders, order.hasSections {
      for row in 0..<batch.count where !window.contains(row) {
        outsideSections.insert(sectionID(batch.order.sectionBytes(row)))
      }
    }
    let items = 0..<storage.count()
    defer { storage.takeSections() }
    guard order.hasSections else { return storage.appendSection(.none, "", items) }
    var start = 0
    sectionIDs = SectionIDs()
    var seen = SectionIDs()
    let comparison = comparisonOfShown(view)
    func close(_ end: Int) throws {
      if start == end { return }
      let row = start + batch.itemsStart
      let id = sectionID(batch.order.sectionBytes(row))
      let name = batch.names[row] ?? ""
      if try seen.number(of: id, comparison) != nil { throw disagreement(id, name) }
      try seen.insert(id, 0, comparison)
      storage.appendSection(id, name, start..<end)
      sectionEntries.append(row)
      start = end
    }
    for item in items.dropFirst() {
      let row = item + batch.itemsStart
      if try !areOfOneSection(batch.order.sectionBytes(row - 1), batch.order.sectionBytes(row), view) {
        try close(item)
      }
    }
    try close(items.count)
    if isFollowed, checksSections { sectionIDs = seen }
  }

  /// Compares texts that identify sections, if their collation is a custom one.
  func comparison(_ view: any EngineView) -> SectionIDs.Comparison? {
    guard case .asked(let collation) = order.parts[order.sectionOrderParts].text else { return nil }
    return { [self] left, right in
      work.comparisons += 1
      return try view.compare(collation, left, right)
    }
  }

  /// The same, if rows that are equal by it could belong to sections in two places.
  func comparisonOfShown(_ view: any EngineView) -> SectionIDs.Comparison? {
    order.sectionOrderParts > 0 ? comparison(view) : nil
  }

  /// The name of a section if its id determines it; nil if a row is needed.
  func nameOfID(_ id: SectionID) -> String? {
    guard query.isNameOfID else { return nil }
    switch id {
    case .none: return ""
    case .text(let text): return text
    default: return nil
    }
  }

  func disagreement(_ id: SectionID, _ name: String) -> DatabaseError {
    // The replacement character for invalid UTF-8 is the same for all such texts.
    if case .text(let text) = id, text.unicodeScalars.contains("\u{FFFD}") {
      return DatabaseError(
        code: .mismatch,
        message: """
          several sections are called "\(name)", and at least one of them is TEXT that is not valid UTF-8; store valid UTF-8, \
          or section by hex(…) of the column
          """)
    }
    return DatabaseError(
      code: .misuse,
      message:
        "the rows of section \"\(name)\" (\(id)) disagree on what `orderedBy` sorts their section by, so that it "
        + "would stand in two places; order by what all rows of a section have in common")
  }
}
