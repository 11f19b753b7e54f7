import CFetchedResultsSQLite
import Synchronization

/// Finds the changes to observed tables for the writer: its own from a capture, and those of other connections from the
/// file's version and the recorded history.
///
/// Except for `takeOwnLooks` and `isLookedIn`, only the thread that holds the writer lock uses it.
final class ChangeTracker {
  private var capture: any ChangeCapture
  private let captureLimit: Int
  private let isFile: Bool
  /// Whether other connections can write to what is observed. A database in memory is this connection's own, but a file
  /// that is attached to it isn't.
  var isShared: Bool { isFile || !attached.isEmpty }
  private var installedVersion = 0
  private var installedShapes: [TableShape] = []
  // The attached files, by their schema names. The schema versions are of the main file, then of these.
  private var attached: [String] = []
  // The schema versions that observers know: every change up to them has been reported.
  private var schemaVersions: [Int64] = []
  // The schema versions for which the capture was installed, which may be later ones.
  private var installedSchema: [Int64] = []
  private var isSchemaStale = true
  // Whether this transaction has changed the schema, and the versions that `collect` has seen.
  private var schemaVersionsInTransaction: [Int64]?
  /// The version of the temporary schema when the transaction began, if that schema concerns observers.
  private var temporaryVersion: Int64 = 0
  private var observesTemporary = false
  /// Lists of a database in memory read on the writer's connection, where a temporary table hides one of its name.
  private var concernsTemporary: Bool { observesTemporary || !isFile && isInstalled }
  private var isTemporarySchemaChanged = false
  private var dataVersions: DataVersions?
  private var history: History?
  // Whether the history may have been started, extended or ended since it was last read.
  private var isHistoryStale = true
  // The history as it will be once this transaction is committed.
  private var historyInTransaction: History?
  // Why the capture may have missed changes of this transaction.
  private var doubt: EverythingReason?
  private let hasLookedItself = Atomic<Bool>(false)
  private let isInTransaction = Atomic<Bool>(false)
  /// Whether the only connection of a database in memory is lent to a read.
  var isReadingInMemory = false

  // Values that every commit reads are never changed in place, `history` included: otherwise each access would be
  // checked for exclusiveness.
  private struct DataVersions: Equatable {
    var main: UInt32
    var attached: [UInt32]

    /// By the index among all files, the main one first.
    subscript(file: Int) -> UInt32 { file == 0 ? main : attached[file - 1] }
  }

  init(options: Database.Options, isFile: Bool) throws {
    self.isFile = isFile
    // A limit that nothing reaches, for sums that don't overflow.
    captureLimit = min(options.captureLimit, 1 << 40)
    switch options.capture {
    case .automatic where PreupdateCapture.isAvailable: capture = PreupdateCapture(limit: captureLimit)
    case .preupdateHook:
      guard PreupdateCapture.isAvailable else {
        throw DatabaseError.misuse(
          "this SQLite library was built without the preupdate hook; use Options.capture = .triggers or .automatic")
      }
      capture = PreupdateCapture(limit: captureLimit)
    case .automatic, .triggers: capture = TriggerCapture(limit: captureLimit)
    }
  }

  /// Whether a write of ours has checked for foreign commits since this was last called. The caller does not need the
  /// lock.
  func takeOwnLooks() -> Bool { hasLookedItself.exchange(false, ordering: .acquiringAndReleasing) }

  /// Whether a transaction of ours is running that has checked for foreign commits; none can have been made since. The
  /// caller does not need the lock.
  var isLookedIn: Bool { isInTransaction.load(ordering: .sequentiallyConsistent) }

  /// The transaction that `transactionBegins` was called for is about to end, by commit or rollback.
  func transactionEnds() { isInTransaction.store(false, ordering: .sequentiallyConsistent) }

  /// Whether a capture is in place.
  var isInstalled: Bool { !installedShapes.isEmpty }

  func stop(on writer: Connection) {
    // Closing the connection removes temporary triggers. The hook must be removed before the memory it points to.
    installedShapes = []
    if let hook = capture as? PreupdateCapture { hook.remove(from: writer) }
  }

  /// A user had SQLite's handle, and may have set another preupdate hook, as a session does, or changed a setting.
  func handleWasLent(of writer: Connection) {
    do {
      try writer.run(ConnectionOpener.captureSettings)
    } catch {
      doubt = .handleLent  // the settings can't be read back
    }
    guard let hook = capture as? PreupdateCapture else {
      doubt = doubt ?? .handleLent
      return
    }
    // The check for the hook creates a temporary table of ours the first time.
    let before = concernsTemporary ? try? currentTemporaryVersion(writer) : nil
    let isInPlace = hook.isHooked && hook.isInPlace(on: writer)
    if let before, let after = try? currentTemporaryVersion(writer) { temporaryVersion += after - before }
    if isInPlace { return }
    // A hook can't be shared, and SQLite doesn't report when it is free again. So use triggers, which need no hook.
    if hook.isHooked { doubt = .hookReplaced }
    hook.abandon(writer)
    capture = TriggerCapture(limit: captureLimit)
    isSchemaStale = true
  }

  // MARK: Before a transaction

  /// Installs the capture for what is observed now. Call it outside transactions.
  func prepare(_ feed: CommitFeed, on writer: Connection) throws {
    guard isSchemaStale || feed.version != installedVersion else { return }
    let (tables, version) = feed.observed
    let schema = try currentSchemaVersions(writer)
    let shapes = try tables.map { try TableShape($0, on: writer) }
    if shapes != installedShapes || isSchemaStale {
      if shapes.isEmpty {
        try capture.remove(from: writer)
      } else {
        try capture.install(shapes, on: writer)
      }
    }
    installedShapes = shapes
    observesTemporary = tables.contains { isTable($0, in: "temp") }
    installedVersion = version
    installedSchema = schema
    // If nobody else can change the schema, only transactions of ours do, and they report it.
    if !isShared { schemaVersions = schema }
    isSchemaStale = false
  }

  /// Whether `prepare` must be called again, because the schema has changed.
  var needsPreparation: Bool { isSchemaStale }

  /// Takes the current state as seen: earlier commits of others are not reported.
  func takeBaseline(on writer: Connection) throws {
    guard isShared else { return }
    let schema = try currentSchemaVersions(writer)
    if schema != schemaVersions { isSchemaStale = true }
    schemaVersions = schema
    dataVersions = currentDataVersions(writer)
    history = try History(on: writer, after: nil)
    isHistoryStale = false
  }

  // MARK: Others' commits

  /// Checks whether another connection has committed, and adds its changes to the feed.
  ///
  /// Inside a transaction that holds the write lock nobody else commits, so no commit is missed after it.
  @discardableResult
  func look(_ feed: CommitFeed, on writer: Connection) throws -> Bool {
    guard isShared else { return false }
    // A read makes the connection check the file; without one the version is that of the last read.
    if !writer.hasTransaction { _ = try currentSchemaVersions(writer) }
    let now = currentDataVersions(writer)
    let before = dataVersions
    if now == before { return false }
    let schema = try currentSchemaVersions(writer)
    if schema != installedSchema { isSchemaStale = true }
    let observed = feed.observed.tables
    var changes: [String: DirtyKeys] = [:]
    if let before, schema == schemaVersions, now.attached.count == before.attached.count {
      let isNew = try refreshHistory(on: writer)
      if !isNew, now.main != before.main, var current = history {
        changes = try current.news(of: observed, on: writer)
        history = current
      }
      for table in observed {
        let file = fileIndex(of: table)
        guard now[file] != before[file], file > 0 || isNew || history?.records(table) != true else { continue }
        changes[table] = .everything(.foreignCommit)
      }
    } else {
      // There may be another history now, which counts from its own beginning. What it holds already is reported with
      // the rest.
      history = try History(on: writer, after: nil)
      isHistoryStale = false
      schemaVersions = schema
      for table in observed { changes[table] = .everything(.schemaChanged) }
    }
    dataVersions = now
    feed.put(changes, isForeign: true)
    return true
  }

  /// Reads the history again if it may be another one. Returns true if it is, so that its entries have not been seen.
  private func refreshHistory(on writer: Connection) throws -> Bool {
    guard isHistoryStale else { return false }
    let wasThere = history != nil
    history = try History(on: writer, after: history)
    isHistoryStale = false
    return !wasThere && history != nil
  }

  private func currentDataVersions(_ writer: Connection) -> DataVersions {
    DataVersions(
      main: dataVersion(of: nil, writer),
      attached: attached.isEmpty ? [] : attached.map { file in file.withCString { dataVersion(of: $0, writer) } })
  }

  /// Without a name it is the main file, which SQLite finds without comparing names.
  private func dataVersion(of file: UnsafePointer<CChar>?, _ writer: Connection) -> UInt32 {
    var version: UInt32 = 0
    sqlite3_file_control(writer.handle, file, SQLITE_FCNTL_DATA_VERSION, &version)
    return version
  }

  private func currentSchemaVersions(_ writer: Connection) throws -> [Int64] {
    var versions = [try writer.internalInteger("PRAGMA schema_version")]
    for file in attached { versions.append(try writer.internalInteger("PRAGMA \(SQL.quoted(file)).schema_version")) }
    return versions
  }

  private func currentTemporaryVersion(_ writer: Connection) throws -> Int64 {
    try writer.internalInteger("PRAGMA temp.schema_version")
  }

  private func isTable(_ observedName: String, in file: String) -> Bool {
    observedName.firstIndex(of: ".").map { String(observedName[..<$0]).isSameName(as: file) } ?? false
  }

  /// The index of the file that an observed table is in.
  private func fileIndex(of table: String) -> Int {
    attached.firstIndex { isTable(table, in: $0) }.map { $0 + 1 } ?? 0
  }

  /// Files may have been attached or detached.
  func attachmentsMayHaveChanged(_ feed: CommitFeed, on writer: Connection) throws {
    let files = try writer.internalRows("SELECT name FROM pragma_database_list WHERE seq > 1")
    let names: [String] = try files.map { try $0[0] }
    let (new, old) = (names.map { ByteString($0) }, attached.map { ByteString($0) })
    guard new != old else { return }
    // Changes that were not checked yet in the remaining files must still be reported.
    let before = dataVersions.map { Dictionary(zip(old, $0.attached)) { first, _ in first } }
    let schemaBefore = Dictionary(zip([ByteString("main")] + old, schemaVersions)) { first, _ in first }
    // The tables of an attached or detached file appear or disappear with it. A table of the main file whose name has a
    // dot may have hidden one of such a file, or be hidden by it.
    let moved = Set(new).symmetricDifference(old)
    var changes: [String: DirtyKeys] = [:]
    for table in feed.observed.tables
    where moved.contains(where: { isTable(table, in: $0.text) }) || isTable(table, in: "main") {
      changes[table] = .everything(.schemaChanged)
    }
    defer { feed.put(changes) }
    attached = names
    schemaVersions = zip([ByteString("main")] + new, try currentSchemaVersions(writer)).map { schemaBefore[$0] ?? $1 }
    isSchemaStale = true
    let now = currentDataVersions(writer)
    guard let before, let main = dataVersions?.main else {
      // A database in memory has versions from its first attached file on.
      if !isFile, isShared { dataVersions = now }
      return
    }
    dataVersions = DataVersions(main: main, attached: zip(new, now.attached).map { before[$0] ?? $1 })
  }

  // MARK: The transaction

  func transactionBegins(on writer: Connection) throws {
    capture.begin()
    hasLookedItself.store(true, ordering: .releasing)
    isInTransaction.store(true, ordering: .sequentiallyConsistent)
    // Nobody else commits now, and `look` has reported everything that they did: what the history holds has been seen.
    if isShared, isHistoryStale {
      history = try History(on: writer, after: nil)
      isHistoryStale = false
    }
    schemaVersionsInTransaction = nil
    if concernsTemporary { temporaryVersion = try currentTemporaryVersion(writer) }
    isTemporarySchemaChanged = false
    historyInTransaction = nil
    doubt = nil
  }

  /// What the transaction has changed so far. Call it inside the transaction, before COMMIT.
  func collect(_ feed: CommitFeed, on writer: Connection) throws -> [String: DirtyKeys] {
    var changes = installedShapes.isEmpty ? [:] : try capture.collect(on: writer)
    if writer.hasTouchedSchema {
      let schema = try currentSchemaVersions(writer)
      schemaVersionsInTransaction = schema
      let isChanged = schema != schemaVersions
      if concernsTemporary { isTemporarySchemaChanged = try currentTemporaryVersion(writer) != temporaryVersion }
      for table in feed.observed.tables {
        if isChanged || isTemporarySchemaChanged && (!isFile || isTable(table, in: "temp")) {
          changes[table] = .everything(.schemaChanged)
        }
      }
    }
    if let doubt {
      for table in feed.observed.tables { changes[table] = .everything(doubt) }
    }
    // Nobody else can have written to the history since it was last read, and what this transaction wrote is captured.
    if schemaVersionsInTransaction == nil {
      historyInTransaction = try history?.seen(on: writer)
    } else if isShared {
      historyInTransaction = try History(on: writer, after: nil)
    }
    return changes
  }

  /// Called after the commit: adds the changes that could not be captured.
  func committed(_ changes: inout [String: DirtyKeys], _ feed: CommitFeed, on writer: Connection) {
    // Our own commit has raised the version too. It must be read again: nothing says by how much.
    if isShared { dataVersions = currentDataVersions(writer) }
    history = historyInTransaction
    if let schema = schemaVersionsInTransaction, schema != schemaVersions {
      schemaVersions = schema
      isSchemaStale = true
    }
    if isTemporarySchemaChanged { isSchemaStale = true }
    // An observer that was added during the transaction may have read the state before it.
    if feed.version != installedVersion {
      let captured = Set(installedShapes.map(\.observedName))
      for table in feed.observed.tables where !captured.contains(table) {
        changes[table] = .everything(.observationBegan)
      }
    }
  }

  /// Something outside transactions, such as VACUUM, may have changed everything, even if it failed in the end.
  func everythingChanged(_ feed: CommitFeed, on writer: Connection) {
    do {
      schemaVersions = try currentSchemaVersions(writer)
    } catch {
      schemaVersions = []  // Another than any: the next look reports that the schema was changed.
    }
    isSchemaStale = true
    isHistoryStale = true
    if isShared { dataVersions = currentDataVersions(writer) }
    var changes: [String: DirtyKeys] = [:]
    for table in feed.observed.tables { changes[table] = .everything(.schemaChanged) }
    feed.put(changes)
  }
}
