public import SQLiteStore

/// Something to do: a row of the table `item`, with the name of its list.
///
/// It is read from rows with the columns of `item`, and `todo_list_name` after them, as in every request of a
/// ``ListQuery``. Writing goes through ``TodoStore``, which also keeps the journal.
public struct Item: Entity {
  /// `item`.
  public static let table = "item"

  /// The short number that people type; it never changes and is never used again.
  public var id: Int64
  /// Identifies it in every database.
  public var uuid: String
  /// The title, unchanged.
  public var title: String
  /// The name of its list.
  public var list: String
  /// The tags, in the order given.
  public var tags: [String]
  /// The priority.
  public var priority: Priority?
  /// When it is due.
  public var due: Due?
  /// The recurrence.
  public var every: Recurrence?
  /// The date until which it is hidden while it is open.
  public var wait: Due?
  /// Whether it is done.
  public var done: Bool
  /// When it was created; nil if unknown.
  public var created: Instant?
  /// When it was completed; nil if unknown.
  public var completed: Instant?
  /// When it was started.
  public var started: Instant?
  /// The notes, in the order in which they were added.
  public var notes: [String]
  /// Whether it is archived.
  public var archived: Bool

  // The following properties are not shown, and `==` ignores them.

  /// The number of its list.
  public var listID: Int64
  /// Its position in its list: a greater number is further down.
  public var position: Int64
  /// The day under which it is listed by due date, in the writer's zone.
  public var dueDay: CalendarDay?
  /// The start of the recurrence: "2031-01-31" or "2031-01-31T09:00:00[Europe/Berlin]", in that zone's local time.
  public var anchor: String?
  /// The number of the previous instance.
  public var previous: Int64?
  /// A JSON object with imported fields that have no column; nil without such fields.
  public var extra: String?

  /// The columns of the table in their order, from which an item is read besides the name of its list.
  static let columnNames = [
    "id", "uuid", "list", "position", "title", "notes", "tags", "done", "archived", "priority", "due", "due_day",
    "every", "anchor", "zone", "previous", "created", "started", "completed", "extra", "rhythm", "wait",
  ]

  /// The same as a part of a statement.
  static let ownColumns = SQL(raw: columnNames.map { "item.\($0)" }.joined(separator: ", "))

  /// The same, and the name of the list.
  static let columns: SQL = "\(ownColumns), list.name AS \(raw: listColumn)"

  /// The same for a table that may lack some of the columns, because another version has made it.
  static func columns(existingIn connection: Connection) throws -> SQL {
    let existing = try connection.values("SELECT name FROM pragma_table_info('item')", as: String.self)
    let own = columnNames.map { existing.contains($0) ? "item.\($0)" : "NULL" }
    return "\(raw: own.joined(separator: ", ")), list.name AS \(raw: listColumn)"
  }

  /// The name of the column with the name of the list.
  static let listColumn = "todo_list_name"

  /// The number of columns of an item in a row.
  static let columnCount = 23

  /// Reads an item from a row of ``columns``.
  public init(row: Row) throws { try self.init(row: row, from: 0) }

  /// Reads an item from ``columns`` in a row, starting at an index.
  init(row: Row, from start: Int) throws {
    id = try row[start]
    uuid = try row[start + 1]
    listID = try row[start + 2]
    position = try row[start + 3]
    title = try row[start + 4]
    done = try row[start + 7]
    created = try row[start + 16]
    completed = try row[start + 18]
    started = try row[start + 17]
    due = try (row[start + 10] as String?).flatMap { Due(iso: $0) }
    dueDay = try (row[start + 11] as String?).flatMap { CalendarDay(iso: $0) }
    every = Recurrence(every: try row[start + 12], rhythm: try row[start + 20])
    wait = try (row[start + 21] as String?).flatMap { Due(iso: $0) }
    anchor = Anchor(time: try row[start + 13], zone: try row[start + 14])?.text
    previous = try row[start + 15]
    priority = Priority(rawValue: try row[start + 9])
    tags = try TextArray.texts(in: row[start + 6])
    // Another program may have stored a tag without a name, which is none, or one twice.
    if tags.contains("") { tags.removeAll(where: \.isEmpty) }
    if tags.count > 1 { tags = tags.withoutRepeats }
    archived = try row[start + 8]
    extra = try row[start + 19]
    notes = try TextArray.texts(in: row[start + 5])
    list = try row[start + 22]
  }
}

extension Item: Equatable {
  /// Whether people, and JSON readers, would see the same. The position in the list is not compared.
  public static func == (left: Item, right: Item) -> Bool {
    left.id == right.id && left.done == right.done && left.priority == right.priority && left.due == right.due
      && left.every == right.every && left.wait == right.wait && left.created == right.created
      && left.completed == right.completed
      && left.started == right.started && left.archived == right.archived
      // In Swift texts are equal if a letter is composed in two ways; but a title that was typed again has changed.
      && left.title.isIdentical(to: right.title) && left.list.isIdentical(to: right.list)
      && left.tags.isIdentical(to: right.tags) && left.notes.isIdentical(to: right.notes) && left.uuid == right.uuid
  }
}

extension Item {
  /// Whether it is open and waits for a later moment: then only a filter with `wait:` or `--all` shows it.
  public func isHidden(at moment: Moment) -> Bool {
    !done && !archived && wait.map { $0.start(in: moment.zone) > moment.instant } == true
  }

  /// The fields without a column, in their order and each once; throws if the database has no JSON object there.
  public func extraFields() throws(JSONError) -> JSONObject {
    guard let extra, case .object(let fields) = try JSONValue.parse(stored: extra) else { return JSONObject() }
    return fields.withoutRepeats
  }
}
