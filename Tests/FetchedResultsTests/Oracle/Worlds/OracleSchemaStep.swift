import CFetchedResultsSQLite
import DataSourcesTestSupport
import FetchedResults
import FixtureSupport
import TestSupport

/// Something that happens to a database of a random schema.
struct OracleSchemaStep: CustomStringConvertible {
  enum Writer { case ours, raw, handle }
  enum HookUse { case atOnce, forSomeStatements, session, sessionThatStays, settings, blob }

  enum Kind {
    /// A transaction, kept or undone.
    case commit(Writer), rollback(Writer)
    /// A transaction of ours with savepoints, some of which are undone.
    case savepoints
    /// Another's and ours in turn, without a look in between.
    case both(Writer)
    /// The recording begins, or ends.
    case record(Writer), stopRecording(Writer)
    /// One of the history's triggers is dropped.
    case dropTrigger
    /// Another changes something; at once somebody begins to observe another table here, and we write to a third one.
    case unnoticed(Writer)
    /// The same where the other one ends the recording, or begins it.
    case unnoticedStop(Writer), unnoticedRecord(Writer)
    case vacuum(Writer)
    /// User code sets a hook of its own and takes it off, at once or after some statements; or it records a session.
    case hooks(HookUse)
    /// A VACUUM of ours that is cancelled.
    case cancelledVacuum
    /// The same text in two spellings is written, and must be stored in each.
    case spellings
    /// Everybody stops following, we write, and they follow again.
    case followAgain
    /// Everybody stops following, another changes the schema, and at once other lists are followed.
    case followChanged(Writer)
  }

  let kind: Kind
  var statements: [String] = []
  var isUndone: [Bool] = []

  init(_ world: OracleSchemaWorld, _ dice: inout SeededGenerator) {
    let setup = world.setup
    var writers: [Writer] = [.ours, .ours]
    if world.raw != nil { writers += [.raw, .raw] }
    if world.handle != nil { writers += [.handle] }
    let writer = dice.pick(writers)
    let other = writers.last ?? .ours
    // The weight of each is the number of its occurrences here.
    var choices: [(kind: Kind, isSchema: Bool)] = Array(repeating: (.commit(writer), false), count: 18)
    func add(_ kind: Kind, _ count: Int = 1, isSchema: Bool = false, when condition: Bool = true) {
      if condition { choices += Array(repeating: (kind, isSchema), count: count) }
    }
    add(.rollback(writer))
    add(.savepoints, 2)
    add(.both(other), when: other != .ours)
    add(.unnoticed(other), 2, isSchema: setup.has(.schema), when: other != .ours)
    add(.commit(writer), 3, isSchema: true, when: setup.has(.schema))
    add(.record(writer), 2, when: setup.has(.recording))
    add(.stopRecording(writer), 2, when: setup.has(.recording))
    add(.unnoticedStop(other), 2, when: setup.has(.recording) && other != .ours)
    add(.unnoticedRecord(other), when: setup.has(.recording) && other != .ours)
    add(.dropTrigger, when: setup.has(.recording) && world.raw != nil)
    add(.vacuum(writer), when: dice.once(in: 3))
    add(.hooks(dice.pick(.atOnce, .forSomeStatements, .session, .sessionThatStays)), 3, when: setup.has(.hooks))
    add(.hooks(dice.pick(.settings, .blob)), 3, when: setup.has(.settings))
    add(.cancelledVacuum, when: dice.once(in: 3))
    add(.spellings, 2, when: setup.has(.texts))
    add(.followAgain, 2, when: setup.has(.compiled))
    add(.followChanged(other), 3, isSchema: true, when: setup.has(.schema) && other != .ours)
    let choice = dice.pick(choices)
    kind = choice.kind
    let isSchema = choice.isSchema
    if isSchema { statements = world.schemaChange(&dice) }
    var isWriting = !isSchema
    switch kind {
    case .record, .stopRecording, .unnoticedStop, .unnoticedRecord, .dropTrigger, .vacuum, .cancelledVacuum,
      .spellings:
      isWriting = false
    default: break
    }
    if isWriting {
      for _ in 0..<dice.pick(1, 1, 1, 2, 3, 5) { statements += world.statements(&dice) }
    }
    isUndone = statements.map { _ in
      if case .savepoints = kind { dice.once(in: 2) } else { false }
    }
  }

  var description: String {
    "\(kind): "
      + statements.indices.map { (isUndone[$0] ? "(undone) " : "") + statements[$0] }.joined(separator: "; ")
  }

  private struct Abandoned: Error {}

  /// Whether everybody stops following before it, and others follow after it.
  var isWhileNobodyFollows: Bool {
    switch kind {
    case .followAgain, .followChanged: true
    default: false
    }
  }

  /// Whether it is one connection's doing, which can go on beside that of another.
  func isAlone(of writer: Writer) -> Bool {
    switch kind {
    case .commit(let who), .rollback(let who): who == writer
    case .savepoints: writer == .ours
    case .record(let who), .stopRecording(let who): who == .ours && writer == .ours
    default: false
    }
  }

  /// Does what plain SQLite does alone.
  func performRaw(_ world: OracleSchemaWorld) {
    if case .rollback = kind {
      plain(world, statements[...], "ROLLBACK")
    } else {
      plain(world, statements[...], "COMMIT")
    }
  }

  /// Does it. Returns whether it was one commit at most.
  func perform(
    _ world: OracleSchemaWorld, _ observers: OracleObservers, mayBeBusy: Bool = false
  ) async throws -> Bool {
    do {
      return try await perform(world, observers)
    } catch let error as OracleFailure where mayBeBusy && error.isBusy {
      return false
    }
  }

  private func perform(_ world: OracleSchemaWorld, _ observers: OracleObservers) async throws -> Bool {
    switch kind {
    case .commit(let writer), .followChanged(let writer): try commit(world, writer, statements[...])
    case .rollback(let writer): try rollback(world, writer)
    case .savepoints, .followAgain: try local(world.database, world, statements[...])
    case .both(let writer):
      let middle = statements.count / 2
      try commit(world, writer, statements[..<middle])
      try local(world.database, world, statements[middle...])
      try commit(world, writer, statements[..<middle])
      return false
    case .record(let writer):
      try record(world, writer)
      return false
    case .stopRecording(let writer):
      try stopRecording(world, writer)
      return false
    case .unnoticedRecord(let writer), .unnoticedStop(let writer):
      if case .unnoticedStop = kind { try stopRecording(world, writer) } else { try record(world, writer) }
      observers.add(["other"])
      try local(world.database, world, ["INSERT INTO other VALUES (2)"])
      return false
    case .dropTrigger:
      try? world.raw?.execute("BEGIN IMMEDIATE")
      let names = try world.raw?.strings(
        "SELECT name FROM sqlite_schema WHERE name GLOB 'frc_history_[0-9]*' ORDER BY name LIMIT 1")
      if let name = names?.first?.first { try? world.raw?.execute("DROP TRIGGER \(name)") }
      try? world.raw?.execute("COMMIT")
    case .unnoticed(let writer):
      try commit(world, writer, statements[...])
      observers.add(["other"])
      try local(world.database, world, ["INSERT INTO other VALUES (2)"])
      return false
    case .vacuum(.ours): try allowingBusy(world) { try world.database.vacuum() }
    case .vacuum(.raw): try? world.raw?.execute("VACUUM")
    case .vacuum(.handle): try allowingBusy(world) { try world.handle?.vacuum() }
    case .hooks(let use): try hooks(world, use)
    case .cancelledVacuum: try await cancelledVacuum(world)
    case .spellings: try spellings(world)
    }
    return true
  }

  private func commit(_ world: OracleSchemaWorld, _ writer: Writer, _ statements: ArraySlice<String>) throws {
    switch writer {
    case .ours: try local(world.database, world, statements)
    case .handle: if let handle = world.handle { try local(handle, world, statements) }
    case .raw: plain(world, statements, "COMMIT")
    }
  }

  private func rollback(_ world: OracleSchemaWorld, _ writer: Writer) throws {
    if writer == .raw { return plain(world, statements[...], "ROLLBACK") }
    let database = writer == .handle ? world.handle ?? world.database : world.database
    do {
      try database.write { c in
        run(statements[...], c)
        throw Abandoned()
      }
    } catch is Abandoned {
    } catch let error as DatabaseError where error.code == .busy && world.setup.has(.journals) {}
  }

  private func record(_ world: OracleSchemaWorld, _ writer: Writer) throws {
    try allowingBusy(world) { try world.record(writer == .handle ? world.handle ?? world.database : world.database) }
  }

  /// Plain SQLite knows of no history: it drops what it finds.
  private func stopRecording(_ world: OracleSchemaWorld, _ writer: Writer) throws {
    guard writer == .raw, let raw = world.raw else {
      return try allowingBusy(world) {
        try (writer == .handle ? world.handle ?? world.database : world.database).stopRecordingHistory()
      }
    }
    let objects = try raw.strings(
      "SELECT type, name FROM sqlite_schema WHERE name LIKE 'frc%' AND type <> 'index' ORDER BY type DESC")
    plain(world, objects.map { "DROP \($0[0]) \($0[1])" }[...], "COMMIT")
  }

  /// Where readers keep writers waiting, a write may be refused.
  private func allowingBusy(_ world: OracleSchemaWorld, _ body: () throws -> Void) throws {
    do {
      try body()
    } catch let error as DatabaseError where error.code == .busy && world.setup.has(.journals) {
    } catch {
      throw OracleFailure(
        description: "a step was refused: \(error)", isBusy: (error as? DatabaseError)?.code == .busy)
    }
  }

  /// A transaction in which statements may fail, and which must not fail itself.
  private func local(_ database: Database, _ world: OracleSchemaWorld, _ statements: ArraySlice<String>) throws {
    try allowingBusy(world) { try database.write { c in run(statements, c) } }
  }

  private func run(_ statements: ArraySlice<String>, _ c: Connection) {
    for index in statements.indices {
      let sql = SQL(raw: statements[index])
      if index < isUndone.count, isUndone[index] {
        _ = try? c.savepoint {
          try c.execute(sql)
          throw Abandoned()
        }
      } else {
        // A refused statement undoes itself.
        _ = try? c.execute(sql)
      }
    }
  }

  private func plain(_ world: OracleSchemaWorld, _ statements: ArraySlice<String>, _ end: String) {
    guard let raw = world.raw, (try? raw.execute("BEGIN IMMEDIATE")) != nil else { return }
    for statement in statements { try? raw.execute(statement) }
    if (try? raw.execute(end)) == nil { try? raw.execute("ROLLBACK") }
  }

  private func hooks(_ world: OracleSchemaWorld, _ use: HookUse) throws {
    let middle = statements.count / 2
    try allowingBusy(world) {
      try world.database.write { c in
        run(statements[..<middle], c)
        var session: OpaquePointer?
        try c.withUnsafeHandle { handle in
          switch use {
          case .atOnce:
            frc_preupdate_hook(handle, { _, _, _, _, _, _, _ in }, nil)
            frc_preupdate_hook(handle, nil, nil)
          case .forSomeStatements: frc_preupdate_hook(handle, { _, _, _, _, _, _, _ in }, nil)
          case .session, .sessionThatStays:
            sqlite3session_create(handle, "main", &session)
            sqlite3session_attach(session, nil)
          case .settings:
            sqlite3_set_authorizer(handle, nil, nil)
            sqlite3_exec(handle, "PRAGMA recursive_triggers = 0", nil, nil, nil)
          case .blob: writeBlob(handle)
          }
          _ = sqlite3_update_hook(handle, { _, _, _, _, _ in }, nil)
          _ = sqlite3_update_hook(handle, nil, nil)
        }
        run(statements[middle...], c)
        if use == .sessionThatStays, world.session == nil {
          world.session = session
          return
        }
        try c.withUnsafeHandle { handle in
          if use == .forSomeStatements { frc_preupdate_hook(handle, nil, nil) }
          if let session { sqlite3session_delete(session) }
        }
      }
    }
  }

  /// Writes into a text in place, which fires no trigger.
  private func writeBlob(_ handle: OpaquePointer) {
    var blob: OpaquePointer?
    defer { sqlite3_blob_close(blob) }
    for id in 1...Int64(12) {
      var first: UInt8 = 0xFF
      sqlite3_blob_close(blob)
      blob = nil
      guard sqlite3_blob_open(handle, "main", "thing", "name", id, 1, &blob) == SQLITE_OK,
        sqlite3_blob_read(blob, &first, 1, 0) == SQLITE_OK
      else { continue }
      // The result must still be a text.
      guard first < 0x80 else { continue }
      sqlite3_blob_write(blob, "b", 1, 0)
      return
    }
  }

  private func cancelledVacuum(_ world: OracleSchemaWorld) async throws {
    let database = world.database
    let vacuum = Task { try await database.vacuum() }
    // Before it begins, while it runs, or after it.
    if statements.isEmpty { await Task.yield() }
    vacuum.cancel()
    do {
      try await vacuum.value
    } catch is CancellationError {
    } catch let error as DatabaseError where error.code == .busy || error.code == .interrupt {}
  }

  private func spellings(_ world: OracleSchemaWorld) throws {
    let spellings = ["\u{e9}", "e\u{301}"]
    try allowingBusy(world) {
      try world.database.write { c in
        for spelling in spellings {
          try c.execute(SQL(raw: "INSERT INTO other VALUES ('\(spelling)')"))
          let id = c.lastInsertedRowID
          let stored = try c.value(SQL(raw: "SELECT x FROM other WHERE rowid = \(id)"), as: String.self) ?? ""
          guard stored.utf8.elementsEqual(spelling.utf8) else {
            throw OracleFailure(description: "\(Array(spelling.utf8)) was stored as \(Array(stored.utf8))")
          }
        }
      }
    }
  }
}
