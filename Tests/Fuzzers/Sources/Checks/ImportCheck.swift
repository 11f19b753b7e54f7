import SQLiteStore
import TodoCore

/// The first byte says which format and in which zone; what follows is the file.
enum ImportCheck {
  private static let zones = [0, 20_700, -39_600].map { LocalZone.fixed(seconds: $0) }
  private static let noon = Instant(iso: "2031-01-01T12:00:00Z") ?? Instant(seconds: 0)

  static func run(_ bytes: [UInt8]) throws {
    guard let first = bytes.first else { return }
    let choice = Int(first &- UInt8(ascii: "0"))
    let format = TransferFormat.allCases[choice % 5]
    let moment = Moment(noon, in: zones[choice / 5 % zones.count])
    let batch: ImportBatch
    do {
      batch = try format.read(Array(bytes.dropFirst()), at: moment)
    } catch {
      guard case .badData = error else { throw Finding("reading failed with \(error)") }
      return try expect(!error.message.isEmpty, "an error without words")
    }
    if batch.items.isEmpty, batch.lists.isEmpty { return }
    try check(batch, format, moment)
    if bytes.count % 4 == 0 { try checkInBulk(batch, moment) }
  }

  /// So many items are inserted without the table's constraints being looked at: none of them may break one.
  private static func checkInBulk(_ batch: ImportBatch, _ moment: Moment) throws {
    guard !batch.items.isEmpty else { return }
    var many = batch
    many.items = []
    while many.items.count < 210 {
      many.items += batch.items.map { item in
        var item = item
        (item.uuid, item.previous) = (nil, nil)
        return item
      }
    }
    let store = try EmptyStore.make("bulk.db", moment)
    do {
      try expectSame(try store.importItems(many).added, many.items.count, "the number of items in bulk")
    } catch let error as TodoError {
      guard case .badData = error else { throw Finding("importing in bulk failed with \(error)") }
      return
    }
    let problems = try must("checking") { try store.database.integrityCheck() }
    try expect(problems.isEmpty, "in bulk: \(problems)")
  }

  private static func check(_ batch: ImportBatch, _ format: TransferFormat, _ moment: Moment) throws {
    let store = try EmptyStore.make("store.db", moment)
    let planned = Result { () throws(TodoError) in try store.importDryRun(batch) }
    let result: ImportResult
    do {
      result = try store.importItems(batch)
    } catch {
      switch error {
      // A refusal has one of our messages, and leaves nothing behind.
      case .badData, .conflict: try expect(try store.revision() == 0, "a refused import has left something")
      default: throw Finding("importing failed with \(error)")
      }
      if case .success = planned { throw Finding("the dry run did not say \(error)") }
      return
    }
    try expectSame(result.added, try planned.get().added, "the dry run has another number")
    try expectSame(result.added + result.unchanged, batch.items.count, "the number of items")
    let items = try items(store, moment)
    try expectSame(items.count, result.added, "the number of items that are there")
    try checkUndo(store, items, moment)

    let (file, lost) = try must("exporting") { try export(store, format, moment) }
    let again = try must("reading what was exported") { try format.read(file, at: moment) }
    try expectSame(again.items.count, items.count, "the number of items in the export")
    if format == .json { try expectSame(lost, 0, "JSON does not hold everything") }
    if lost > 0 { return }
    // All of it is known here, just as it is.
    let repeated = try must("importing what was exported") { try store.importDryRun(again) }
    try expectSame(repeated.unchanged, items.count, "not known again: \(String(decoding: file, as: UTF8.self))")
    let other = try EmptyStore.make("other.db", moment)
    _ = try must("importing it elsewhere") { try other.importItems(again) }
    if format == .json {
      try expectSame(try self.items(other, moment), items, "another database has other items")
      let files = try [other, store].map { String(decoding: try export($0, .json, moment).file, as: UTF8.self) }
      // All but the revision, which counts what was undone and done again.
      let rests = files.map { $0.drop { $0 != "[" } }
      try expectSame(rests[0], rests[1], "exporting again")
    }
  }

  private static func checkUndo(_ store: TodoStore, _ items: [String], _ moment: Moment) throws {
    if try store.nextUndo() == nil { return }
    _ = try must("undo") { try store.undo() }
    try expectSame(try self.items(store, moment), [], "left by undo")
    _ = try must("redo") { try store.redo() }
    try expectSame(try self.items(store, moment), items, "after redo")
  }

  /// An export with UUIDs, and how many items it does not hold as a whole.
  private static func export(
    _ store: TodoStore, _ format: TransferFormat, _ moment: Moment
  ) throws -> (file: [UInt8], lost: Int) {
    var writer = format.writer(at: moment, ids: true)
    var bytes: [UInt8] = []
    try store.export(
      begin: { bytes += try writer.begin($0) }, item: { bytes += try writer.write($0, previous: $1) })
    return (bytes + (try writer.end()), writer.loss.items)
  }

  /// Each item as our own JSON has it, in its order.
  private static func items(_ store: TodoStore, _ moment: Moment) throws -> [String] {
    var items: [String] = []
    try store.export(begin: { _ in }) { item, previous in
      var writer = TransferFormat.json.writer(at: moment)
      items.append(String(decoding: try writer.write(item, previous: previous), as: UTF8.self))
    }
    return items
  }
}
