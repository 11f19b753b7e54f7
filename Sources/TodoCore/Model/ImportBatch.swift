/// What a file holds, read and checked, and ready to be imported: what every format makes.
public struct ImportBatch: Hashable, Sendable {
  /// The lists in their order; those that items name without their being here come after them.
  public var lists: [ImportedList] = []
  /// The items, in the order in which they are to stand in their lists.
  public var items: [ImportedItem] = []
  /// The numbers of the lines in which stands what belongs to no item and to no list, and is not imported.
  public var leftOut: [Int] = []

  /// Nothing.
  public init() {}
}

/// A list in a file.
public struct ImportedList: Hashable, Sendable {
  /// Its name.
  public var name: String
  /// Fields that we have no column for.
  public var extra: JSONObject

  /// A list.
  public init(name: String, extra: JSONObject = JSONObject()) {
    self.name = name
    self.extra = extra
  }
}

/// An item in a file.
///
/// What a format can't say is nil, and then left as it is where the item is there already.
public struct ImportedItem: Hashable, Sendable {
  /// Its number there; it gets another where that one is taken, was ever given, or is out of reason.
  public var id: Int64?
  /// What identifies it; in lower case with hyphens. Without, it is a new item, and gets one.
  public var uuid: String?
  /// What is to be done; not empty.
  public var title: String
  /// The name of its list; nil for the default one.
  public var list: String?
  /// The tags.
  public var tags: [String] = []
  /// How urgent it is.
  public var priority: Priority?
  /// When it is due.
  public var due: Due?
  /// The day under which it stands, where that is not what the reader's zone says.
  public var dueDay: CalendarDay?
  /// How often it comes again.
  public var every: Recurrence?
  /// Where the rhythm of `every` began, as ``Item/anchor``; nil where that is its due day.
  public var anchor: String?
  /// The UUID of the instance that it follows.
  public var previous: String?
  /// Whether it is done.
  public var done = false
  /// When it was made; nil where the file does not say.
  public var created: Instant?
  /// When it was done.
  public var completed: Instant?
  /// When it was begun.
  public var started: Instant?
  /// The notes.
  public var notes: [String] = []
  /// Whether it is put away.
  public var archived = false
  /// Fields that we have no column for.
  public var extra = JSONObject()
  /// Where it stands in the file, for messages.
  public var place: TextPlace?

  /// An item with a title.
  public init(title: String) { self.title = title }
}

extension ImportedItem {
  /// Where a rhythm began, in the spelling in which it is stored; nil for what is neither a day nor a time of a day.
  static func anchor(_ text: String) -> String? {
    Anchor(text)?.text
  }
}
