public import SQLiteStore

/// Something to do: a row of the table `item`, with the name of its list.
///
/// It is read from rows that hold the columns of `item` in their order, and `list_name` after them, as every request of a
/// ``ListQuery`` does. Writing goes through ``TodoStore``, which also keeps the journal.
public struct Item: Entity {
  /// `item`.
  public static let table = "item"

  /// The short number that people type; permanent, and never given again.
  public var id: Int64
  /// What identifies it in every database.
  public var uuid: String
  /// What is to be done, as it was given.
  public var title: String
  /// The name of its list.
  public var list: String
  /// The tags, in the order given.
  public var tags: [String]
  /// How urgent it is.
  public var priority: Priority?
  /// When it is due.
  public var due: Due?
  /// How often it comes again.
  public var every: Recurrence?
  /// Whether it is done.
  public var done: Bool
  /// When it was made; nil where nobody knows.
  public var created: Instant?
  /// When it was done; nil where nobody knows.
  public var completed: Instant?
  /// When it was begun.
  public var started: Instant?
  /// The notes, in the order in which they were made.
  public var notes: [String]
  /// Whether it is put away.
  public var archived: Bool

  // What follows is not shown, and takes no part in `==`.

  /// The number of its list.
  public var listID: Int64
  /// Where it stands in its list: a greater number is further down.
  public var position: Int64
  /// The day under which it stands by due day, in the zone of who wrote it.
  public var dueDay: CalendarDay?
  /// Where the rhythm of `every` began: "2031-01-31" or "2031-01-31T09:00:00[Europe/Berlin]", by the clock on the wall there.
  public var anchor: String?
  /// The number of the instance that this one follows.
  public var previous: Int64?
  /// A JSON object of fields that came with an import and that we have no column for; nil when there are none.
  public var extra: String?

  /// How many columns an item takes in a row: those of its table, and the name of its list.
  static let columnCount = 21

  /// Reads an item from a row of `item.*, list.name AS list_name`.
  public init(row: Row) throws { try self.init(row: row, from: 0) }

  /// Reads an item from the columns of a row that begin at a place.
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
  /// Whether people, and those who read JSON, would see the same. Where it stands in its list is not among it.
  public static func == (left: Item, right: Item) -> Bool {
    left.id == right.id && left.done == right.done && left.priority == right.priority && left.due == right.due
      && left.every == right.every && left.created == right.created && left.completed == right.completed
      && left.started == right.started && left.archived == right.archived && same(left.title, right.title)
      && same(left.list, right.list) && same(left.tags, right.tags) && same(left.notes, right.notes)
      && left.uuid == right.uuid
  }

  // Swift takes texts for equal where one letter is written in two ways; a title that was re-typed has changed all the same.
  private static func same(_ left: String, _ right: String) -> Bool { left.utf8.elementsEqual(right.utf8) }

  private static func same(_ left: [String], _ right: [String]) -> Bool {
    left.elementsEqual(right, by: { same($0, $1) })
  }
}

extension Item {
  /// Whether it is open and its due day is over.
  public func isOverdue(at moment: Moment) -> Bool { !done && due?.isOverdue(at: moment) == true }

  /// The fields that we have no column for, in their order; throws where the database holds no JSON object there.
  public func extraFields() throws(JSONError) -> JSONObject {
    guard let extra, case .object(let fields) = try JSONValue.parse(extra) else { return JSONObject() }
    return fields
  }
}
