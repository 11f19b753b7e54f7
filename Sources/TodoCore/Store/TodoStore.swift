import DataSources
public import SQLiteStore

/// The to-do database: everything that the program does to items and lists, each change in one transaction that can be undone.
///
/// ```swift
/// let store = try TodoStore.open(DatabaseLocation(path: "todo.db"))
/// let added = try store.add(ItemDraft(title: "Pay rent", list: "Home"))
/// let done = try store.done(Selection(added.items[0].id))
/// ```
///
/// Any number of processes may have the same file open. What throws has changed nothing.
public final class TodoStore: Sendable {
  /// The list of items for which no other was said; made when it is first needed.
  public static let defaultList = "Inbox"

  /// The database.
  public let database: Database
  /// The file; nil for a database in memory.
  public var path: String? { original ?? database.path }
  /// The file that the database is a temporary copy of; nil where it is the file itself.
  private let original: String?
  let clock: @Sendable () -> Moment
  /// The functions of days that the database knows, by name.
  let dayFunctions = Locked<Set<String>>([])

  init(_ database: Database, _ clock: @escaping @Sendable () -> Moment, copyOf original: String? = nil) {
    self.database = database
    self.clock = clock
    self.original = original
  }

  deinit { removeCopy() }

  private func removeCopy() {
    if original != nil, let path = database.path { ReadOnlyFile.remove(path) }
  }

  /// Now and here, as the store's clock has it.
  public var moment: Moment { clock() }

  // MARK: Opening

  /// Opens the database to read and write, and makes one where there is none, for its owner alone.
  ///
  /// An older one is brought up to date. What is no to-do database, is damaged or is newer than the program is bad data and left
  /// as it is.
  ///
  /// - Parameters:
  ///   - location: Where it is.
  ///   - clock: What time it is and where, for tests.
  public static func open(
    _ location: DatabaseLocation, clock: @escaping @Sendable () -> Moment = { .now }
  ) throws(TodoError) -> TodoStore {
    try makeFolder(location)
    return try readable { try Opening.open(location.path, clock, .toWrite) }
  }

  /// The same for one command, whose changes need not be on the disk before it says so: ``settle()`` has to be called.
  package static func openForCommand(
    _ location: DatabaseLocation, clock: @escaping @Sendable () -> Moment = { .now }
  ) throws(TodoError) -> TodoStore {
    try makeFolder(location)
    return try openForCommand(location, Database.Options(), clock: clock)
  }

  /// The same with options of the database, for trials.
  package static func openForCommand(
    _ location: DatabaseLocation, _ options: Database.Options, clock: @escaping @Sendable () -> Moment = { .now }
  ) throws(TodoError) -> TodoStore {
    var options = options
    options.durability = .normal
    return try open(location, options, clock: clock)
  }

  private static func makeFolder(_ location: DatabaseLocation) throws(TodoError) {
    if location.isDefault, let reason = Platform.makeFolder(location.folder) {
      throw .inputOutput("the folder \(location.folder) can't be made: \(reason)")
    }
  }

  /// The same with options of the database, for trials.
  package static func open(
    _ location: DatabaseLocation, _ options: Database.Options, clock: @escaping @Sendable () -> Moment = { .now }
  ) throws(TodoError) -> TodoStore {
    try readable { try Opening.open(location.path, clock, .toWrite, options) }
  }

  /// Opens the database only to read it, and leaves its file and its folder as they are; nil where there is none.
  ///
  /// It works where nothing can be written as well: see [docs/Formats.md](Formats.md) for what is read then. The exception is a file
  /// of an older schema that can be written, which is brought up to date first.
  public static func openToRead(
    _ location: DatabaseLocation, clock: @escaping @Sendable () -> Moment = { .now }
  ) throws(TodoError) -> TodoStore? {
    guard let status = Platform.status(of: location.path) else {
      if location.isDefault || Platform.status(of: location.folder)?.isFolder == true {
        if Platform.isMissing(location.path) { return nil }
        // A link that leads back to itself, or what may not be looked at: to open it says which.
        return try readable { try Opening.open(location.path, clock, .toRead) }
      }
      throw .inputOutput("there is no folder \(location.folder); make it first, or choose another file with --db FILE")
    }
    // An empty file is a database that nothing was written to yet.
    if status.isFile, status.size == 0, Platform.status(of: location.path + "-wal") == nil { return nil }
    return try readable { try Opening.open(location.path, clock, .toRead) }
  }

  /// A database in memory, for previews and tests.
  public static func inMemory(clock: @escaping @Sendable () -> Moment = { .now }) throws(TodoError) -> TodoStore {
    try readable {
      let database = try Database.inMemory()
      try database.migrate(Opening.migrations())
      return TodoStore(database, clock)
    }
  }

  /// Closes the database. Where nobody else has it open, the file alone is then all of it.
  ///
  /// Never needed to keep what was written.
  public func close() throws(TodoError) {
    try readable { try database.close() }
    removeCopy()
  }

  /// Has the disk keep all that was committed, in the file as far as others allow, and else in its log.
  ///
  /// To move the log into the file takes two syncs, of the log and of the file. So the commits of a command, which always does this,
  /// need not be synced each (``openForCommand(_:clock:)``).
  package func settle() throws(TodoError) { try readable { try database.moveLog() } }

  /// Ends the work of a command: closes the database, and leaves all of it in its file.
  ///
  /// The log is moved into the file also while others have it open, as far as they allow, so that a copy of the file alone is
  /// not without the last changes. What can't be moved stays in the log, where it is as safe.
  public func finish() {
    do {
      try database.moveLog()
      try database.close()
    } catch {
      // What was written is committed, and the next one to open the database reads it from the log.
    }
    removeCopy()
  }

  // MARK: Reading

  /// How many commits have changed something.
  public func revision() throws(TodoError) -> Int64 { try read { try Self.revision($0) } }

  static func revision(_ connection: Connection) throws -> Int64 {
    try connection.value("SELECT max(id) FROM change", as: Int64.self) ?? 0
  }

  /// Reads from one state of the database.
  func read<T>(_ body: (Connection) throws -> T) throws(TodoError) -> T {
    try readable { try database.read(body) }
  }

  /// The items that are selected: by number in the order given, by filter in the order of the view by list.
  ///
  /// A number that there is none of is an error, and so is a range that hits nothing. With numbers all states count, with a
  /// filter alone the open ones, unless the filter says which.
  public func items(_ selection: Selection) throws(TodoError) -> [Item] {
    let moment = moment
    return try read { try Selecting($0, moment).items(selection) }
  }

  /// The same items, and the revision of the database that they are of.
  public func itemsWithRevision(_ selection: Selection) throws(TodoError) -> (items: [Item], revision: Int64) {
    let moment = moment
    return try read { (try Selecting($0, moment).items(selection), try Self.revision($0)) }
  }

  /// An item by its number.
  public func item(_ id: Int64) throws(TodoError) -> Item {
    guard let item = try items(Selection(id)).first else { throw Selecting.missing("\(id)") }
    return item
  }
}
