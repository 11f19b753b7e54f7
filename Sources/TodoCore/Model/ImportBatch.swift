/// The content of a file, parsed and checked, ready to be imported: the result of every format.
public struct ImportBatch: Equatable, Sendable {
  /// The lists in their order; lists that only items name come after them.
  public var lists: [ImportedList] = []
  /// The items, in their order within the lists.
  public var items: [ImportedItem] = []
  /// The numbers of the lines that belong to no item and to no list, and are not imported.
  public var leftOut: [Int] = []
  /// What was left out of the file, one sentence for each with its line, such as a recurrence that does not exist here.
  public var warnings: [String] = []
  /// The recurring tasks of taskwarrior, which are not imported: their instances are.
  var series: [ImportedItem] = []

  /// Creates an empty batch.
  public init() {}

  /// Adds a warning.
  mutating func warn(at place: TextPlace?, _ sentence: String) { warnings.append(place.prefix + sentence) }
}

/// A list in a file.
public struct ImportedList: Equatable, Sendable {
  /// Its name.
  public var name: String
  /// Fields without a column. Those that an existing list has not are added to it.
  public var extra: JSONObject
  /// Its position in the file, for messages.
  public var place: TextPlace?

  /// Creates a list.
  public init(name: String, extra: JSONObject = JSONObject()) {
    self.name = name
    self.extra = extra
  }
}

/// An item in a file.
///
/// A list or number that the file doesn't have is nil; then an existing item keeps its own, as it keeps all ``absent``
/// fields.
public struct ImportedItem: Equatable, Sendable {
  /// The fields that a file can leave out.
  public enum Field: String, Sendable, CaseIterable {
    /// Fields of the same name.
    case tags, priority, due, dueDay, every, anchor, done, created, completed, started, notes, archived, wait
    /// Fields without a column: those of the file are added to an existing item's.
    case extra
  }

  /// Its number in the file. It gets another one if that is taken, was ever used, or is unreasonably large.
  public var id: Int64?
  /// Identifies it; in lower case with hyphens. Without it, it is a new item, and gets one.
  public var uuid: String?
  /// The title; not empty. Only an item with a UUID may have one of blanks: another program stored it.
  public var title: String
  /// The name of its list; nil for the default one.
  public var list: String?
  /// The tags.
  public var tags: [String] = []
  /// The priority.
  public var priority: Priority?
  /// When it is due.
  public var due: Due?
  /// The day under which it is listed, if that differs from the day in the reader's zone.
  public var dueDay: CalendarDay?
  /// The recurrence.
  public var every: Recurrence?
  /// The date until which it is hidden.
  public var wait: Due?
  /// The start of the recurrence, as ``Item/anchor``; nil if that is its due day.
  public var anchor: String?
  /// The UUID of the previous instance.
  public var previous: String?
  /// Whether it is done.
  public var done = false
  /// When it was created; nil if the file does not say.
  public var created: Instant?
  /// When it was completed.
  public var completed: Instant?
  /// When it was started.
  public var started: Instant?
  /// The notes.
  public var notes: [String] = []
  /// Whether it is archived.
  public var archived = false
  /// Fields without a column.
  public var extra = JSONObject()
  /// The names of other programs' fields that the file empties, such as by an empty cell in a column.
  public var emptied: [String] = []
  /// The fields that the file doesn't name, or can't. An existing item keeps its own, and a new one has none.
  public var absent: Set<Field> = []
  /// Its position in the file, for messages.
  public var place: TextPlace?

  /// Creates an item with a title.
  public init(title: String) { self.title = title }

  /// Whether a name that the file gives the item is none. A line or row without a UUID was typed, and blanks in it are
  /// no name; an item with one comes from a database, where another program may have stored a name of blanks.
  func isMissing(_ name: String) -> Bool { name.isEmpty || uuid == nil && name.allSatisfy(\.isWhitespace) }
}

extension ImportedItem {
  /// The start of a recurrence in its stored spelling; nil if it is neither a day nor a time of a day.
  static func anchor(_ text: String) -> String? {
    Anchor(text)?.text
  }
}
