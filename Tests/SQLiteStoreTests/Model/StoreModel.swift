import CFetchedResultsSQLite
import DataSourcesTestSupport
import FixtureSupport
import Foundation
import SQLiteStore
import TestSupport
import Testing

/// A database of the store and a plain one, which random calls are made on and which must stay alike.
final class StoreModel {
  let seed: UInt64
  let scratch: Scratch
  var dice: ModelDice
  let plain: PlainStore
  let isFile: Bool
  var options: Database.Options
  var database: Database
  /// The migrations that were applied.
  var migrations: [Migration] = []
  var migrationCount = 0
  var functions: [(Database) throws -> Void] = []
  var isAttached = false
  var observation: ObservationToken?
  /// What was saved by the last backup.
  var saved: (plain: PlainStore, migrations: [Migration])?
  /// The settings before the first call, of the connections that write and read.
  private var settings: [[Value]] = []
  private var history: [String] = []
  /// How many calls and steps were made.
  private(set) var count = 0

  /// A difference between the two.
  struct Difference: Error, CustomStringConvertible { var description: String }

  init(seed: UInt64) throws {
    self.seed = seed
    scratch = try Scratch(inMemory: true)
    dice = ModelDice(seed: seed)
    plain = try PlainStore(scratch)
    isFile = seed % 3 != 0
    options = .fast
    options.journal = seed % 5 < 3 ? .wal : .delete
    options.capture = seed % 2 == 0 ? .automatic : .triggers
    database = try isFile ? scratch.database(options: options) : Database.inMemory(options: options)
    try database.write { try $0.executeScript(ModelSchema.main) }
    try plain.execute(ModelSchema.main)
    settings = try currentSettings()
  }

  /// Makes random calls, and throws where the two differ.
  func run(calls: Int) throws {
    for _ in 0..<calls {
      try makeCall()
      try compareContent()
      try expect(currentSettings() == settings, "other settings than before: \(try currentSettings()), not \(settings)")
    }
    try compareFile()
    try database.close()
  }

  // MARK: Accesses

  func note(_ call: String) {
    history.append(call)
    count += 1
    if (Seeds.repeated != nil) { print("\(count): \(call)") }
  }

  func write(_ steps: [ModelStep]) throws {
    note("write \(steps)")
    try compare(
      { outcomes in try self.database.write { try StoreSide(connection: $0).perform(steps, &outcomes) } },
      { outcomes in try self.plain.write { try self.plain.perform(steps, &outcomes) } })
  }

  func read(_ steps: [ModelStep]) throws {
    note("read \(steps)")
    try compare(
      { outcomes in try self.database.read { try StoreSide(connection: $0).perform(steps, &outcomes) } },
      { outcomes in try self.plain.read { try self.plain.perform(steps, &outcomes) } })
  }

  /// Makes a call on both, and compares what each step gave and what the call threw. Returns whether it succeeded.
  @discardableResult
  func compare(
    _ ours: (inout [ModelOutcome]) throws -> Void, _ theirs: (inout [ModelOutcome]) throws -> Void
  ) throws -> Bool {
    func outcomes(_ body: (inout [ModelOutcome]) throws -> Void) -> ([ModelOutcome], succeeded: Bool) {
      var outcomes: [ModelOutcome] = []
      do { try body(&outcomes) } catch {
        outcomes.append(.failed(ModelFailure(error)))
        return (outcomes, false)
      }
      return (outcomes, true)
    }
    let (got, succeeded) = outcomes(ours)
    let (expected, isExpected) = outcomes(theirs)
    count += got.count
    for (index, (expected, got)) in zip(expected, got).enumerated() where !expected.accepts(got) {
      throw difference("outcome \(index) is\n  \(got), expected\n  \(expected)")
    }
    try expect(
      got.count == expected.count && succeeded == isExpected, "outcomes are\n  \(got), expected\n  \(expected)")
    return succeeded
  }

  func expect(_ condition: Bool, _ message: @autoclosure () throws -> String) throws {
    if !condition { throw difference(try message()) }
  }

  func difference(_ message: String) -> Difference {
    let steps = history.suffix((Seeds.repeated != nil) ? 1 : 8)
    return Difference(
      description: """
        SEED=\(seed) (\(isFile ? options.journal.rawValue : "memory"), \(options.capture)) differs in call \(history.count): \(message)
        last calls:
        \(steps.joined(separator: "\n"))
        """.replacing("\0", with: "\\0"))
  }

  // MARK: Comparisons

  private static let tables =
    "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'frc%' ORDER BY name"
  private static let schema =
    "SELECT type, name, tbl_name, sql FROM sqlite_schema WHERE name NOT LIKE 'frc%' ORDER BY type, name"

  /// All that a database holds, read by `rows`.
  static func content(
    attached: Bool, _ rows: (String) throws -> [[RawDatabase.Value]]
  ) throws -> [[RawDatabase.Value]] {
    var result = try rows("PRAGMA user_version") + rows("PRAGMA application_id")
    for file in attached ? ["", "o."] : [""] {
      let name = file + "sqlite_schema"
      result += try rows(schema.replacing("sqlite_schema", with: name))
      for table in try rows(tables.replacing("sqlite_schema", with: name)) {
        guard case .text(let bytes) = table[0] else { continue }
        result.append(table)
        result += try rows("SELECT * FROM \(file)\(String(decoding: bytes, as: UTF8.self))")
      }
    }
    return result
  }

  func plainContent(attached: Bool? = nil, of plain: PlainStore? = nil) throws -> [[RawDatabase.Value]] {
    let plain = plain ?? self.plain
    return try Self.content(attached: attached ?? isAttached) { try plain.rows($0, []) }
  }

  func storedContent() throws -> [[RawDatabase.Value]] {
    try database.read { c in try Self.content(attached: isAttached) { try StoreSide(connection: c).rows($0, []) } }
  }

  private func compareContent() throws {
    let (got, expected) = (try storedContent(), try plainContent())
    guard got != expected else { return }
    let place = got.indices.first { $0 >= expected.count || got[$0] != expected[$0] } ?? got.count
    throw difference(
      """
      the content differs:
        \(ModelOutcome.shown(Array(got.dropFirst(place).prefix(3)))), expected
        \(ModelOutcome.shown(Array(expected.dropFirst(place).prefix(3))))
      """)
  }

  /// What another connection finds in the file, and whether all is well in it.
  func compareFile() throws {
    if isFile {
      let raw = try RawDatabase(path: scratch.path())
      try expect(
        try Self.content(attached: false) { try raw.rows($0) } == plainContent(attached: false), "the file differs")
    }
    let problems = try database.integrityCheck()
    var orphans = try plain.rows("PRAGMA main.foreign_key_check", []).count
    if isAttached { orphans += try plain.rows("PRAGMA o.foreign_key_check", []).count }
    try expect(problems.count == orphans, "integrityCheck() gives \(problems), expected \(orphans) references")
    try expect(
      try plain.rows("PRAGMA integrity_check", []) == [[.text(Array("ok".utf8))]], "the plain database is damaged")
  }

  private func currentSettings() throws -> [[Value]] {
    func values(_ connection: Connection) throws -> [Value] {
      try ModelSchema.settings.map { try connection.value("PRAGMA \(raw: $0)", as: Value.self) ?? .null }
        + [connection.value("SELECT 'a' LIKE 'A'", as: Value.self) ?? .null]
    }
    return [try database.write(values), try database.read(values)]
  }

  // MARK: Opening again

  func reopen(_ change: (inout Database.Options) -> Void) throws {
    try database.close()
    change(&options)
    database = try scratch.database(options: options)
    for function in functions { try function(database) }
    if isAttached { try database.attach(scratch.path("other.db"), as: "o") }
    if observation != nil { observe() }
    settings = try currentSettings()
  }

  func observe() { observation = database.observe(["item", "child", "clause", "log", "pair", "o.part"]) { _ in } }
}
