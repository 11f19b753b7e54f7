public import SQLiteStore

/// Something to do: a row of the table `item`, with the name of its list.
///
/// It is read from rows with the columns of `item` in their order, and `list_name` after them, as in every request of a
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

  /// The number of columns of an item in a row: those of its table, and the name of its list.
  static let columnCount = 21

  /// Reads an item from a row of `item.*, list.name AS list_name`.
  public init(row: Row) throws { try self.init(row: row, from: 0) }

  /// Reads an item from the columns of a row, starting at an index.
  init(row: Row, from start: Int) throws {
    id = try row[start]
    uuid = try row[start + 1]
    listID = try row[start + 2]
    position = try row[start + 3]
    title = try row[start + 4]
    done = try row[start + 5]
    created = try row[start + 6]
    completed = try row[start + 7]
    started = try row[start + 8]
    due = try (row[start + 9] as String?).flatMap { Due(iso: $0) }
    dueDay = try (row[start + 10] as String?).flatMap { CalendarDay(iso: $0) }
    every = try (row[start + 11] as String?).flatMap(Recurrence.init(rawValue:))
    anchor = Anchor(time: try row[start + 12], zone: try row[start + 19])?.text
    previous = try row[start + 13]
    priority = Priority(rawValue: try row[start + 14])
    tags = try TextArray.texts(in: row[start + 15])
    archived = try row[start + 16]
    extra = try row[start + 17]
    notes = try TextArray.texts(in: row[start + 18])
    list = try row[start + 20]
  }
}

extension Item: Equatable {
  /// Whether people, and JSON readers, would see the same. The position in the list is not compared.
  public static func == (left: Item, right: Item) -> Bool {
    left.id == right.id && left.done == right.done && left.priority == right.priority && left.due == right.due
      && left.every == right.every && left.created == right.created && left.completed == right.completed
      && left.started == right.started && left.archived == right.archived && same(left.title, right.title)
      && same(left.list, right.list) && same(left.tags, right.tags) && same(left.notes, right.notes)
      && left.uuid == right.uuid
  }

  // In Swift texts are equal if a letter is composed in two ways; but a title that was typed again has changed.
  private static func same(_ left: String, _ right: String) -> Bool { left.utf8.elementsEqual(right.utf8) }

  private static func same(_ left: [String], _ right: [String]) -> Bool {
    left.elementsEqual(right, by: { same($0, $1) })
  }
}

extension Item {
  /// Whether it is open and its due day is over.
  public func isOverdue(at moment: Moment) -> Bool { !done && due?.isOverdue(at: moment) == true }

  /// The fields without a column, in their order; throws if the database has no JSON object there.
  public func extraFields() throws(JSONError) -> JSONObject {
    guard let extra, case .object(let fields) = try JSONValue.parse(extra) else { return JSONObject() }
    return fields
  }
}
