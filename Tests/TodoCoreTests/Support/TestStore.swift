import DataSources
import FetchedResultsSupport
import FixtureSupport
import Foundation
import SQLiteStore
import TodoCore

/// A store of a test: in a file of its own, and with a clock that the test sets.
struct TestStore {
  let store: TodoStore
  let path: String
  let clock: TestClock

  /// An empty database, on Wednesday, 1 January 2031, at noon, unless something else is said.
  init(path: String? = nil, zone: LocalZone = .fixed(seconds: 0), now: String = "2031-01-01T12:00:00Z") throws {
    self.path = try path ?? TemporaryFolder.make() + "/todo.db"
    let clock = TestClock(now, zone)
    self.clock = clock
    store = try TodoStore.open(DatabaseLocation(path: self.path)) { clock.moment }
  }

  /// A store with a copy of a new database, which spares it from running all migrations.
  static func copyOfNew() throws -> TestStore {
    let path = try TemporaryFolder.make() + "/todo.db"
    try newFile.get().write(to: URL(filePath: path))
    chmod(path, 0o600)
    return try TestStore(path: path)
  }

  /// The bytes of a new database.
  private static let newFile = Result {
    let new = try TestStore()
    new.store.finish()
    return try Data(contentsOf: URL(filePath: new.path))
  }

  /// Adds items with these titles, and gives their numbers.
  @discardableResult
  func add(_ titles: String..., list: String? = nil) throws -> [Int64] {
    try titles.map { try store.add(ItemDraft(title: $0, list: list)).items[0].id }
  }

  /// Adds what the arguments of `add` say.
  @discardableResult
  func add(arguments: String...) throws -> Item {
    try store.add(ItemDraft(Attributes(arguments: arguments, at: store.moment))).items[0]
  }

  /// The titles of a list, section by section: "Errands: Milk, Bread".
  func list(_ query: ListQuery) throws -> [String] {
    var lines = Lines()
    try store.list(here(query), into: &lines)
    return lines.lines
  }

  func list(_ view: ItemView = .list, _ arguments: String..., status: Filter.Status? = nil) throws -> [String] {
    try list(ListQuery(view, filter: Filter(arguments: arguments, status: status, at: store.moment)))
  }

  /// What a list is as JSON.
  func json(_ query: ListQuery = ListQuery()) throws -> String {
    let bytes = Bytes()
    var writer = JSONListWriter { bytes.append($0) }
    try store.list(here(query), into: &writer)
    return bytes.text
  }

  /// A query in the zone of the test.
  func here(_ query: ListQuery) -> ListQuery {
    var query = query
    query.zone = clock.moment.zone
    query.today = clock.moment.today
    return query
  }

  /// The content of the database, except its journal.
  ///
  /// - Parameter raw: A connection to read it with; a new one if it is nil.
  func content(_ raw: RawDatabase? = nil) throws -> [[RawDatabase.Value]] {
    let raw = try raw ?? RawDatabase(path: path, readOnly: true)
    return try raw.rows("SELECT * FROM list ORDER BY id") + raw.rows("SELECT * FROM item ORDER BY id")
      + raw.rows("SELECT item, tag FROM item_tag ORDER BY item, tag")
  }
}

/// A clock that stands still until it is set.
final class TestClock: Sendable {
  private let now: Locked<Moment>

  init(_ text: String, _ zone: LocalZone) { now = Locked(Moment(Instant(iso: text)!, in: zone)) }

  var moment: Moment { now.withLock { $0 } }

  func set(_ text: String) {
    let instant = Instant(iso: text)!
    now.withLock { $0.instant = instant }
  }

  func set(_ zone: LocalZone) { now.withLock { $0.zone = zone } }
}

/// Writes lists as lines for people who write tests.
struct Lines: ListVisitor {
  var lines: [String] = []
  private var titles: [String] = []
  private var name = ""

  mutating func begin(revision: Int64) {}
  mutating func beginSection(name: String) {
    self.name = name
    titles = []
  }
  mutating func row(_ item: Item) { titles.append(item.title) }
  mutating func endSection() { lines.append("\(name): \(titles.joined(separator: ", "))") }
  mutating func end() {}
}

/// Collects bytes.
final class Bytes {
  private(set) var bytes: [UInt8] = []
  func append(_ more: [UInt8]) { bytes += more }
  var text: String { String(decoding: bytes, as: UTF8.self) }
}

extension TestStore {
  /// The text of an export, with UUIDs in formats that can have them.
  func exported(as format: TransferFormat = .json) throws -> String {
    String(decoding: try store.exported(as: format), as: UTF8.self)
  }
}

extension TodoStore {
  /// The bytes of an export, with UUIDs in formats that can have them.
  func exported(as format: TransferFormat) throws -> [UInt8] {
    var writer = format.writer(at: moment, ids: true)
    var bytes: [UInt8] = []
    try export(begin: { bytes += try writer.begin($0) }, item: { bytes += try writer.write($0, previous: $1) })
    return try bytes + writer.end()
  }
}
