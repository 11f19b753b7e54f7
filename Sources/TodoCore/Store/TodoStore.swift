import DataSources
import FetchedResultsSupport
public import SQLiteStore

/// The to-do database: every operation on items and lists, each change in one transaction that can be undone.
///
/// ```swift
/// let store = try TodoStore.open(DatabaseLocation(path: "todo.db"))
/// let added = try store.add(ItemDraft(title: "Pay rent", list: "Home"))
/// let done = try store.done(Selection(added.items[0].id))
/// ```
///
/// Any number of processes may have the same file open. A call that throws has changed nothing.
public final class TodoStore: Sendable {
  /// The list for items without one; it is created when it is first needed.
  public static let defaultList = "Inbox"

  /// The database.
  public let database: Database
  /// The file; nil for a database in memory.
  public var path: String? { original ?? database.path }
  /// The file that the database is a temporary copy of; nil if it is the file itself.
  private let original: String?
  /// Whether the file is removed with the store.
  private let isTemporary: Bool
  let clock: @Sendable () -> Moment
  /// The functions for days that have been added to the database, by name.
  let dayFunctions = Locked<Set<String>>([])

  init(
    _ database: Database, _ clock: @escaping @Sendable () -> Moment, copyOf original: String? = nil,
    isTemporary: Bool = false
  ) {
    self.database = database
    self.clock = clock
    self.original = original
    self.isTemporary = isTemporary
  }

  deinit { removeTemporaryFile() }

  private func removeTemporaryFile() {
    if isTemporary, let path = database.path { ReadOnlyFile.remove(path) }
  }

  /// The same store with the clock of another zone.
  public func inZone(_ zone: LocalZone) -> TodoStore {
    TodoStore(
      database,
      { [clock] in
        var moment = clock()
        moment.zone = zone
        return moment
      }, copyOf: original)
  }

  /// The current time and zone, by the store's clock.
  public var moment: Moment { clock() }

  // MARK: Opening

  /// Opens the database for reading and writing, and creates it if it is missing, for its owner alone.
  ///
  /// An older one is migrated. A file that is no to-do database, is damaged, or is newer than the program is bad data
  /// and stays unchanged.
  ///
  /// - Parameters:
  ///   - location: The location of the database.
  ///   - clock: Returns the current time and zone, for tests.
  public static func open(
    _ location: DatabaseLocation, clock: @escaping @Sendable () -> Moment = { .now }
  ) throws(TodoError) -> TodoStore {
    try open(location, Database.Options(), clock: clock)
  }

  /// The same for one command, whose commits are not synced one by one: call ``settle()`` before reporting success.
  package static func openForCommand(
    _ location: DatabaseLocation, _ options: Database.Options = Database.Options(),
    clock: @escaping @Sendable () -> Moment = { .now }
  ) throws(TodoError) -> TodoStore {
    var options = options
    options.durability = .normal
    options.leavesSyncToMove = true
    return try open(location, options, clock: clock)
  }

  /// The same with options of the database, for tests.
  package static func open(
    _ location: DatabaseLocation, _ options: Database.Options, clock: @escaping @Sendable () -> Moment = { .now }
  ) throws(TodoError) -> TodoStore {
    if location.isDefault, let reason = Platform.makeFolder(location.folder) {
      throw .inputOutput("the folder \(location.folder) can't be made: \(reason)")
    }
    return try opening(location) { try StoreOpener.openToWrite(location.path, clock, options) }
  }

  /// Creates a database in a temporary folder, which is removed when the store is closed.
  package static func temporary() throws(TodoError) -> TodoStore {
    guard let folder = Platform.makeTemporaryFolder() else {
      throw .inputOutput("no temporary folder can be made; set TMPDIR to a folder that you may write to")
    }
    return try readable {
      let database = try Database(path: folder + "/todo.db")
      try database.migrateAtOnce(StoreOpener.migrations())
      return TodoStore(database, { .now }, isTemporary: true)
    }
  }

  /// Opens the database only for reading, and leaves its file and its folder unchanged; nil if it is missing.
  ///
  /// It also works if nothing can be written: ``ReadOnlyFile`` says what is read then. The exception is a writable file
  /// with an older schema, which is migrated first.
  ///
  /// - Parameters:
  ///   - location: The location of the database.
  ///   - acceptsAltered: Whether to open it even if another program has altered its tables or triggers, to rescue what
  ///     can be read. Otherwise that is an error.
  ///   - clock: Returns the current time and zone, for tests.
  public static func openToRead(
    _ location: DatabaseLocation, acceptsAltered: Bool = false, clock: @escaping @Sendable () -> Moment = { .now }
  ) throws(TodoError) -> TodoStore? {
    guard let status = Platform.status(of: location.path) else {
      if location.isDefault || Platform.status(of: location.folder)?.isFolder == true {
        if Platform.isMissing(location.path) { return nil }
        // A loop of links, or a path that may not be read: opening it says which.
        return try opening(location) { try StoreOpener.openToRead(location.path, clock, acceptsAltered) }
      }
      throw .inputOutput("there is no folder \(location.folder); make it first, or choose another file with --db FILE")
    }
    // An empty file is a database to which nothing was written yet.
    if status.isFile, status.size == 0, Platform.status(of: location.path + "-wal") == nil { return nil }
    return try opening(location) { try StoreOpener.openToRead(location.path, clock, acceptsAltered) }
  }

  /// Names the file in an error about what it is.
  private static func opening<Store>(
    _ location: DatabaseLocation, _ body: () throws -> Store
  ) throws(TodoError) -> Store {
    try readable {
      do {
        return try body()
      } catch let error as DatabaseError where error.code == .notADatabase {
        throw TodoError.badData("\(location.path) is no database; choose another one with --db FILE")
      }
    }
  }

  /// Creates a database in memory, for previews and tests.
  public static func inMemory(clock: @escaping @Sendable () -> Moment = { .now }) throws(TodoError) -> TodoStore {
    try readable {
      let database = try Database.inMemory()
      try database.migrate(StoreOpener.migrations())
      return TodoStore(database, clock)
    }
  }

  /// Closes the database. If nobody else has it open, the file alone is then the whole database.
  ///
  /// Closing is not needed to keep what was written.
  public func close() throws(TodoError) {
    try readable { try database.close() }
    removeTemporaryFile()
  }

  /// Ensures that every commit is on the disk: in the file as far as others allow, and otherwise in its log.
  ///
  /// Moving the log into the file takes two syncs, of the log and of the file. So the commits of a command, which
  /// always calls this, need not be synced one by one (``openForCommand(_:clock:)``).
  ///
  /// - Returns: Whether the disk has room for it in the file.
  @discardableResult
  package func settle() throws(TodoError) -> Bool { try readable { try database.moveLog() } }

  /// Ends the work of a command: closes the database, and leaves everything in its file.
  ///
  /// The log is moved into the file even while others have it open, as far as they allow, so that a copy of the file
  /// alone has the last changes. What can't be moved stays in the log, where it is just as safe.
  ///
  /// - Returns: Whether the disk has room for it in the file.
  @discardableResult
  public func finish() -> Bool {
    // If one of these fails, everything was committed, and the next program that opens the database reads it from the
    // log.
    let hasRoom = (try? database.moveLog()) ?? true
    try? database.close()
    removeTemporaryFile()
    return hasRoom
  }

  // MARK: Reading

  /// The number of commits that have changed something.
  public func revision() throws(TodoError) -> Int64 { try read { try Self.revision($0) } }

  static func revision(_ connection: Connection) throws -> Int64 {
    try connection.value("SELECT max(id) FROM change", as: Int64.self) ?? 0
  }

  /// Reads from one state of the database.
  func read<T>(_ body: (Connection) throws -> T) throws(TodoError) -> T {
    try readable { try database.read(body) }
  }

  /// The selected items: by number in the order given, by filter in the order of the view by list.
  ///
  /// A number without an item is an error, and so is a range that matches none. With numbers items in all states are
  /// selected, with only a filter the open ones, unless the filter names states.
  public func items(_ selection: Selection) throws(TodoError) -> [Item] {
    let moment = moment
    return try read { try ItemQuery($0, moment).items(selection) }
  }

  /// The same items, and the revision of the database in which they were read.
  public func itemsWithRevision(_ selection: Selection) throws(TodoError) -> (items: [Item], revision: Int64) {
    let moment = moment
    return try read { (try ItemQuery($0, moment).items(selection), try Self.revision($0)) }
  }

  /// A clause about the first list or tag that a filter names and that does not exist: `there is no list "Hom"; did you
  /// mean "Home"?`, or about filters that exclude each other; nil if there is nothing to say.
  public func missingName(_ filter: Filter) throws(TodoError) -> String? {
    if filter.isEmpty { return nil }
    let moment = moment
    return try read { try ItemQuery($0, moment).missingName(in: filter) }
  }

  /// The list whose name is near to the name of a missing one: "Home" for "Hme"; nil if that list exists.
  public func nearList(to name: String) throws(TodoError) -> String? {
    let moment = moment
    return try read { try ItemQuery($0, moment).nearList(to: name) }
  }

  /// The item with a number.
  public func item(_ id: Int64) throws(TodoError) -> Item {
    guard let item = try items(Selection(id)).first else { throw ItemQuery.missing("\(id)") }
    return item
  }
}
