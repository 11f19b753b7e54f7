package import SQLiteStore

/// The result of restoring a backup.
public struct RestoreResult: Equatable, Sendable {
  /// The number of items in the backup.
  public var items = 0
  /// How many of them were missing here.
  public var added = 0
  /// How many existed here with other content.
  public var updated = 0
  /// How many existed here but not in the backup.
  public var removed = 0
  /// The change that was made, without its items unless they were requested. If the backup became the database as a
  /// whole, there is no change in the log, and its label is nil.
  public var change: ChangeResult
  /// The new path of the previous database, if it was damaged or altered.
  public var setAside: String?
  /// Whether the backup became the database as a whole, because the database was missing, damaged or altered.
  public var isWhole = false

  init(_ change: ChangeResult) { self.change = change }
}

extension TodoStore {
  /// Restores a backup: makes the lists and the items those of the backup.
  ///
  /// In an intact database it is one change, which can be undone, and others may use the database meanwhile. A database
  /// that is damaged, or whose tables or triggers another program has altered, is set aside, and the backup becomes the
  /// database; it also does if there is no database. The backup itself is only read.
  ///
  /// Tables, views, indexes and triggers that others have added to a database are not damage. An intact database keeps
  /// its own and gets none of the backup's. A backup that becomes the database brings everything in it.
  ///
  /// - Parameters:
  ///   - location: The database.
  ///   - backup: The file that ``backup(to:progress:)`` has made, or any other to-do database.
  ///   - options: Options of the database, for tests.
  ///   - collectsItems: Whether the result contains the changed items.
  ///   - clock: Returns the current time and zone, for tests.
  ///   - progress: Called from time to time with the number of items read, and of all items. If it throws, the
  ///     restoration is cancelled.
  /// - Returns: The database, and the result.
  package static func restore(
    _ location: DatabaseLocation, from backup: String, _ options: Database.Options = Database.Options(),
    collectsItems: Bool = false, clock: @escaping @Sendable () -> Moment = { .now },
    progress: (_ done: Int, _ total: Int) throws -> Void = { _, _ in }
  ) throws(TodoError) -> (store: TodoStore, result: RestoreResult) {
    if backup.isEmpty { throw .usage("restore needs the name of a backup, as in: todo restore todo-copy.db") }
    try check(backup, location)
    return try readable {
      let restoring = Restoring(location, backup, options, clock)
      defer { restoring.tidyUp() }
      try restoring.copy()
      return try restoring.restore(collectsItems, progress)
    }
  }

  private static func check(_ backup: String, _ location: DatabaseLocation) throws(TodoError) {
    guard let status = Platform.status(of: backup) else {
      throw .inputOutput("there is no file \(backup), or it can't be read")
    }
    if status.isFolder { throw .inputOutput("\(backup) is a folder; name the backup in it") }
    if !status.isFile { throw .inputOutput("\(backup) is no file; name a backup") }
    if Platform.isSame(backup, location.path) {
      throw .conflict("\(backup) is the database itself; name a backup of it")
    }
    if let there = Platform.status(of: location.path) {
      if !there.isFile { throw .inputOutput("\(location.path) is no file; choose another one with --db FILE") }
    } else if !Platform.isMissing(location.path) || Platform.isLink(location.path),
      // Another program may have made the file between the two looks.
      Platform.status(of: location.path) == nil
    {
      throw .inputOutput("\(location.path) is a link that leads nowhere; choose another file with --db FILE")
    }
    if location.isDefault {
      if let reason = Platform.makeFolder(location.folder) {
        throw .inputOutput("the folder \(location.folder) can't be made: \(reason)")
      }
    } else if Platform.status(of: location.folder)?.isFolder != true {
      throw .inputOutput("there is no folder \(location.folder); make it first, or choose another file with --db FILE")
    }
  }
}

/// A running restoration.
private struct Restoring {
  private let location: DatabaseLocation
  /// The database's path without links, beside which other files are put.
  private let path: String
  private let backup: String
  private let options: Database.Options
  private let clock: @Sendable () -> Moment
  /// A copy of the backup, migrated to the newest schema: this copy is restored.
  private let scratch: String

  init(
    _ location: DatabaseLocation, _ backup: String, _ options: Database.Options,
    _ clock: @escaping @Sendable () -> Moment
  ) {
    self.location = location
    self.options = options
    path = Platform.resolved(location.path)
    self.backup = backup
    self.clock = clock
    scratch = StaleFiles.path(beside: path, ".restoring-")
  }

  func tidyUp() { for suffix in ["", "-wal", "-shm", "-journal"] { Platform.remove(scratch + suffix) } }

  /// Copies the backup, and checks that it is an intact database of this program.
  func copy() throws {
    StaleFiles.remove(of: path, ".restoring-")
    func refusal(_ what: String) -> TodoError {
      .badData("\(backup) is \(what); nothing was restored, choose another backup")
    }
    do {
      try makeCopy()
      var damage: String?
      do {
        let copy = try StoreOpener.openToWrite(scratch, clock, options)
        damage = try copy.firstDamage()
        try copy.close()
      } catch TodoError.badData(let problem) {
        damage = problem
      }
      if let damage { throw refusal("damaged (\(damage))") }
    } catch let error as DatabaseError where Self.isDamage(error) {
      throw refusal("no database, or damaged")
    }
  }

  private func makeCopy() throws {
    do {
      guard let source = try StoreOpener.openToRead(backup, clock, false, options, migrates: false) else {
        throw TodoError.badData("\(backup) is an empty database; name a backup")
      }
      defer { source.finish() }
      try source.database.backup(to: scratch)
    } catch let error as DatabaseError {
      // Otherwise it would be reported as an error of the database. A problem with the copy's own path is not the
      // backup's fault.
      let isOfBackup = !error.message.contains(scratch)
      switch error.code {
      case .readOnly where error.isOfUnwritableFormat && !isOfBackup: throw DatabaseError(code: .corrupt, message: "")
      case .busy, .locked:
        throw TodoError.busy("another program has been writing to \(backup) for too long; try again in a moment")
      case .readOnly where isOfBackup, .cantOpen where isOfBackup, .permission where isOfBackup:
        throw TodoError.inputOutput(
          "\(backup) can't be opened where it is; copy it, with the files beside it whose names begin with its name, to a folder "
            + "that you may write to, and restore that")
      default: throw error
      }
    }
  }

  private static func isDamage(_ error: DatabaseError) -> Bool {
    error.code == .corrupt || error.code == .notADatabase || error.message.contains("fts5") || error.isOfUnknownFormat
  }

  func restore(
    _ collectsItems: Bool, _ progress: (_ done: Int, _ total: Int) throws -> Void
  ) throws -> (TodoStore, RestoreResult) {
    if let store = try soundStore() {
      do {
        return (store, try replaceContents(of: store, collectsItems, progress))
      } catch TodoError.badData {
        try? store.close()
      }
    }
    return try becomeTheDatabase(collectsItems)
  }

  /// The database, if there is one whose contents can be replaced.
  private func soundStore() throws -> TodoStore? {
    guard let status = Platform.status(of: path), status.size > 0 || Platform.status(of: path + "-wal") != nil else {
      return nil
    }
    do {
      let there = try StoreOpener.openToRead(path, clock, true, options, migrates: false)
      let state = try there.map { try StoreOpener.state(of: $0.database, .toRead) }
      there?.finish()
      switch state {
      case .altered?, .beforeFirstRelease?: return nil
      case nil, .current?, .older?, .empty?, .foreign?, .newer?: break
      }
      let store: TodoStore
      do {
        store = try StoreOpener.openToWrite(path, clock, options)
      } catch TodoError.badData {
        return nil
      }
      if try store.firstDamage() == nil { return store }
      try store.close()
      return nil
    } catch let error as DatabaseError where Self.isDamage(error) || error.isOfMigration {
      return nil
    }
  }

  // MARK: The contents

  private func replaceContents(
    of store: TodoStore, _ collectsItems: Bool, _ progress: (_ done: Int, _ total: Int) throws -> Void
  ) throws -> RestoreResult {
    var options = StoreOpener.trusting(options)
    options.isReadOnly = true
    let source = try Database(path: scratch, options: options)
    var counts = (items: 0, added: 0, updated: 0, removed: 0)
    let change = try store.change("restore") { changing in
      let contents = try RestoredContents(changing.connection, of: source, progress: progress)
      let (added, updated, removed) = (contents.added, contents.updated, contents.removed)
      counts = (contents.count, added.count, updated.count, removed.count)
      changing.subject = "\"\(backup.split(separator: "/").last ?? Substring(backup))\""
      if collectsItems {
        changing.removed = try ItemQuery(changing.connection, changing.moment).items(removed)
        changing.changed = (added + updated).sorted()
      }
      try contents.write()
    }
    var result = RestoreResult(change)
    (result.items, result.added, result.updated, result.removed) = counts
    return result
  }

  // MARK: The file

  /// Sets the existing database aside, and gives its name to the copy of the backup.
  private func becomeTheDatabase(_ collectsItems: Bool) throws -> (TodoStore, RestoreResult) {
    // A program that has it open would go on writing to the file that is set aside.
    let claim = try claim()
    defer { withExtendedLifetime(claim) {} }
    let aside = try setAside()
    if let reason = Platform.rename(scratch, to: path) {
      throw TodoError.inputOutput("\(location.path) can't be replaced: \(reason)")
    }
    Platform.syncFolder(DatabaseLocation(path: path).folder)
    let store = try StoreOpener.openToWrite(path, clock, options)
    let moment = clock()
    let (items, revision) = try store.database.read { connection in
      let all = Selection(filter: Filter(status: .any))
      return (try ItemQuery(connection, moment).items(all), try TodoStore.revision(connection))
    }
    var result = RestoreResult(ChangeResult(revision: revision))
    result.items = items.count
    result.added = items.count
    if collectsItems { result.change.items = items }
    result.setAside = aside
    result.isWhole = true
    return (store, result)
  }

  private func claim() throws -> FileClaim? {
    guard Platform.status(of: path) != nil else { return nil }
    do {
      return try FileClaim(path, vfs: options.vfs)
    } catch let error as DatabaseError where error.code == .busy {
      throw TodoError.busy(
        "\(location.path) is to be replaced, and another program has it open; close it everywhere, and restore again")
    }
  }

  /// Renames the damaged database and its other files: first those, because they would be applied to the copy. The
  /// database keeps its own name until the copy takes it.
  private func setAside() throws -> String? {
    guard let status = Platform.status(of: path) else { return nil }
    var name = path + ".damaged"
    var number = 1
    while Platform.status(of: name) != nil || Platform.isLink(name) {
      number += 1
      name = path + ".damaged-\(number)"
    }
    for suffix in ["-wal", "-journal", "-shm"] where Platform.status(of: path + suffix) != nil {
      if let reason = Platform.rename(path + suffix, to: name + suffix) {
        throw TodoError.inputOutput("\(path)\(suffix) can't be set aside: \(reason)")
      }
    }
    if status.size == 0 { return nil }
    // The file system has no links: for a moment there is no database.
    if Platform.link(path, as: name) != nil, let reason = Platform.rename(path, to: name) {
      throw TodoError.inputOutput("\(location.path) can't be set aside: \(reason)")
    }
    return name
  }
}
