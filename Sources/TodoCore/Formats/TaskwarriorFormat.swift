/// The output of taskwarrior's `task export`: an array of tasks, or one task in each line.
///
/// Deleted tasks and the parents of recurring ones are left out. Fields that have no column here (wait, depends, the
/// times of annotations, user-defined fields) are kept and written back.
enum TaskwarriorFormat {
  private static let known = [
    "id", "uuid", "description", "project", "tags", "priority", "due", "status", "entry", "end", "start",
    "todoArchived",
    "todoAnchor", "todoPrevious", "todoDueDay", "todoDue", "todoEvery", "todoNotes", "todoExtra",
  ]
  private static let rhythms: [(Recurrence, [String])] = [
    (.day, ["daily", "day", "days", "d", "P1D"]),
    (.week, ["weekly", "week", "weeks", "wks", "wk", "w", "7d", "7days", "P7D", "P1W"]),
    (.month, ["monthly", "month", "months", "mths", "mth", "mos", "mo", "m", "P1M"]),
    (.year, ["yearly", "annual", "year", "years", "yrs", "yr", "y", "P1Y"]),
  ]

  /// The recurrence that a `recur` means, such as `monthly` or `1 mo`; nil for one that does not exist here.
  private static func rhythm(_ text: String) -> Recurrence? {
    var word = text.filter { $0 != " " }
    if word.hasPrefix("1"), word.dropFirst().first?.isLetter == true { word.removeFirst() }
    return rhythms.first { $0.1.contains(word) }?.0
  }

  static func read(_ bytes: [UInt8], _ zone: LocalZone) throws(TodoError) -> ImportBatch {
    let values: [JSONValue]
    do {
      values = try JSONValue.parseSequence(bytes)
    } catch {
      throw .badData("\(error)")
    }
    var batch = ImportBatch()
    var streams = Streams()
    for fields in try FieldReader.objects(values.flatMap { $0.array ?? [$0] }) {
      let status = try FieldReader(fields).text("status") ?? (fields["end"]?.string == nil ? "pending" : "completed")
      if status == "recurring" { streams.noteParent(fields, zone) }
      if status == "deleted" || status == "recurring" {
        if let uuid = fields["uuid"]?.string.flatMap(UUIDText.canonical) {
          let isDeleted = status == "deleted"
          batch.leftOutItems.append(LeftOutItem(uuid: uuid, place: fields.place, isDeleted: isDeleted))
        }
        continue
      }
      var item = try item(fields, status, zone)
      if !item.done, item.every == nil, let recur = fields["recur"]?.string, !recur.isEmpty,
        fields["todoEvery"] == nil
      {
        batch.warn(item, "the recurrence \"\(recur)\"", "here it is one of: \(Recurrence.names)")
      }
      item.keepTimesNotSaid()
      if item.anchor != nil, item.every == nil {
        item.anchor = nil
        batch.warn(item, "\"todoAnchor\"", "it does not recur")
      }
      streams.note(item, at: batch.items.count, fields)
      batch.items.append(item)
    }
    streams.end(in: &batch, zone)
    return batch
  }

  /// The recurring tasks, by the task that they are instances of.
  ///
  /// All instances contain the recurrence. Only the last open one keeps it; otherwise each of them would start a series
  /// of its own.
  private struct Streams {
    private var instances: [TextKey: [Int]] = [:]
    /// The tasks themselves. Their series begin when they are due.
    private var parents: [(key: TextKey, item: ImportedItem)] = []
    /// The tasks that have an open instance.
    private var continued: Set<TextKey> = []

    mutating func noteParent(_ fields: JSONObject, _ zone: LocalZone) {
      guard let parent = try? TaskwarriorFormat.item(fields, "pending", zone) else { return }
      parents.append((TextKey((fields["uuid"]?.string ?? "").asciiLowercased), parent))
    }

    mutating func note(_ item: ImportedItem, at index: Int, _ fields: JSONObject) {
      guard !item.done, let parent = fields["parent"]?.string else { return }
      continued.insert(TextKey(parent.asciiLowercased))
      // In our own exports, each task says itself whether it recurs. Taskwarrior copies our field into each instance of
      // a task to which it gives a recurrence, which is beside it then.
      guard item.every != nil, fields["todoEvery"] == nil || fields["recur"] != nil else { return }
      instances[TextKey(parent.asciiLowercased), default: []].append(index)
    }

    func end(in batch: inout ImportBatch, _ zone: LocalZone) {
      var starts: [TextKey: Due] = [:]
      for (key, item) in parents {
        starts[key] = item.due
        if continued.contains(key) { continue }
        batch.warn(
          at: item.place,
          "the recurring task \"\(item.title)\" is left out, because no open instance of it is in the file")
      }
      for (parent, indices) in instances {
        func rank(_ index: Int) -> (Double, Int64, Int) {
          let item = batch.items[index]
          let mask: Double =
            if case .number(let digits)? = item.extra["imask"] { Double(digits) ?? -1 } else { -1 }
          let due: Int64 =
            switch item.due {
            case .instant(let instant)?: instant.seconds
            case .day(let day)?: Int64(day.number) * 86_400
            case nil: .min
            }
          return (mask, due, index)
        }
        let last = indices.max { rank($0) < rank($1) }
        for index in indices where index != last {
          batch.items[index].every = nil
          batch.items[index].anchor = nil
        }
        if let last, batch.items[last].anchor == nil, let start = starts[parent] {
          batch.items[last].anchor = Self.anchor(start, of: batch.items[last], zone)
        }
      }
    }

    /// The start of a series, if that is on a day of the month which the instance's month doesn't have. Otherwise the
    /// series can as well begin with the instance.
    private static func anchor(_ start: Due, of item: ImportedItem, _ zone: LocalZone) -> String? {
      let (first, day, anchor): (CalendarDay, CalendarDay, Anchor)
      switch (start, item.due) {
      case (.day(let from), .day(let to)?): (first, day, anchor) = (from, to, Anchor(from))
      case (.instant(let from), .instant(let to)?):
        let (wall, now) = (zone.wallTime(at: from), zone.wallTime(at: to))
        guard wall.secondOfDay == now.secondOfDay else { return nil }
        (first, day, anchor) = (wall.day, now.day, Anchor(wall, in: zone.identifier(at: from)))
      default: return nil
      }
      let months = (day.date.year - first.date.year) * 12 + day.date.month - first.date.month
      guard let every = item.every, months > 0, day.date.day < first.date.day else { return nil }
      switch every {
      case .month: return every.day(months, from: first) == day ? anchor.text : nil
      case .year: return months % 12 == 0 && every.day(months / 12, from: first) == day ? anchor.text : nil
      case .day, .week: return nil
      }
    }
  }

  private static func item(
    _ fields: JSONObject, _ status: String, _ zone: LocalZone
  ) throws(TodoError) -> ImportedItem {
    let reader = FieldReader(fields)
    try reader.checkNames()
    var item = ImportedItem(title: "")
    item.uuid = try reader.uuid("uuid")
    item.title = try reader.title("description", of: item)
    item.place = fields.place
    item.id = try reader.id("id")
    item.list = try reader.list("project", of: item)
    item.tags = try reader.tags("tags")
    guard ["pending", "waiting", "completed"].contains(status) else {
      throw reader.error("status", "is pending, waiting, completed, deleted or recurring")
    }
    item.done = status == "completed"
    var extra = fields.without(known)
    if status == "waiting" { extra["status"] = .string(status) }
    if let text = try reader.text("priority"), !text.isEmpty {
      if let index = ["L", "M", "H"].firstIndex(of: text) {
        item.priority = Priority.allCases[index]
      } else {
        extra["priority"] = .string(text)  // a user-defined priority
      }
    }
    item.created = try instant("entry", reader)
    item.completed = try instant("end", reader)
    if !item.done, item.completed != nil {
      // Of a task that was opened again by other means than taskwarrior's.
      extra["end"] = fields["end"]
      item.completed = nil
    }
    item.started = try instant("start", reader)
    if let due = try instant("due", reader) {
      // Taskwarrior stores a date without a time as midnight. Our own exports store the original value beside it.
      let day = zone.day(of: due)
      // The day of a moment says that midnight is a moment too, unless the moment was moved away from it.
      let isMoment = try reader.day("todoDueDay").map { abs($0.number - day.number) <= 2 } ?? false
      item.due = zone.start(of: day) == due && !isMoment ? .day(day) : .instant(due)
      if let said = try dueDay(beside: due, reader) { item.due = .day(said) }
    }
    let own = try reader.text("todoEvery")
    let recur = try reader.text("recur")
    if own != noRhythm {
      // Our export has no recurrence of taskwarrior's beside our own, so that somebody has added it.
      let every = own.flatMap { Recurrence(rawValue: $0) ?? rhythm($0) }
      if own != nil, every == nil { throw reader.error("todoEvery", "is one of \(Recurrence.names), \(noRhythm)") }
      item.every = recur.flatMap(rhythm) ?? every
    }
    // Taskwarrior stores fields that it does not know as texts.
    if case .string(let text)? = fields["todoArchived"] {
      guard ["true", "false"].contains(text) else { throw reader.error("todoArchived", "is true or false") }
      item.archived = text == "true"
    } else {
      item.archived = try reader.bool("todoArchived")
    }
    item.anchor = try reader.anchor("todoAnchor")
    item.previous = try reader.uuid("todoPrevious")
    item.dueDay = try reader.day("todoDueDay")
    var hasTimes = fields["todoNotes"] == nil
    for value in try reader.array("annotations") {
      guard case .object(let note) = value else {
        throw reader.error("annotations", "holds objects, not \(value.kind)")
      }
      item.notes.append(try FieldReader(note).text("description") ?? "")
      // In an export, another program has changed it since.
      if !note.means(annotation(item.notes.last ?? "", of: item)) { hasTimes = true }
    }
    // Always last, as they are written, so that reading an export gives the same fields in the same order.
    let annotations = hasTimes ? extra["annotations"] : nil
    extra["annotations"] = nil
    if let annotations { extra["annotations"] = annotations }
    item.extra = extra
    let stored = fields["todoExtra"]
    switch stored?.string.flatMap({ try? JSONValue.parse($0) }) ?? stored {
    case nil: break
    case .object(let own)?:
      // What stands beside our field was added by another program since.
      var extra = own
      for (key, value) in item.extra.pairs { extra[key] = value }
      item.extra = extra
    case let value?: throw reader.error("todoExtra", "is an object, not \(value.kind)")
    }
    return item
  }

  /// A note as an annotation, with a made-up time.
  private static func annotation(_ note: String, of item: ImportedItem) -> JSONObject {
    let entry = text(item.created ?? Instant(seconds: 0))
    return JSONObject([("entry", .string(entry)), ("description", .string(note))])
  }

  /// The value of `todoEvery` for a task that has a taskwarrior recurrence but does not continue it.
  private static let noRhythm = "none"

  /// The day that our own export stores for a moment: "2031-01-02 20310101T230000Z". Nil if the moment was changed
  /// since.
  private static func dueDay(beside due: Instant, _ reader: FieldReader) throws(TodoError) -> CalendarDay? {
    guard let parts = try reader.text("todoDue")?.split(separator: " ") else { return nil }
    guard parts.count == 2, let day = CalendarDay(iso: parts[0]), let exported = parse(String(parts[1])) else {
      throw reader.error("todoDue", "is such as \"2031-01-02 20310101T230000Z\"; leave it out if \"due\" was changed")
    }
    return exported == due ? day : nil
  }

  /// "20310102T140000Z", or as ISO has it.
  private static func instant(_ key: String, _ reader: FieldReader) throws(TodoError) -> Instant? {
    guard let text = try reader.text(key) else { return nil }
    if let instant = parse(text) ?? Instant(iso: text) { return instant }
    throw reader.error(key, "is a moment such as \"20310102T140000Z\"")
  }

  private static func parse(_ text: String) -> Instant? {
    let digits = Array(text.utf8)
    guard digits.count == 16 else { return nil }
    func part(_ range: Range<Int>) -> String { String(decoding: digits[range], as: UTF8.self) }
    return Instant(iso: "\(part(0..<4))-\(part(4..<6))-\(part(6..<11)):\(part(11..<13)):\(part(13..<16))")
  }

  private static func text(_ instant: Instant) -> String { instant.description.filter { $0 != "-" && $0 != ":" } }

  // MARK: Writing

  /// Writes a task a line, in an array.
  struct Writer: ExportWriter {
    let zone: LocalZone
    private var isFirst = true

    init(zone: LocalZone) { self.zone = zone }

    mutating func begin(_ head: ExportHead) throws -> [UInt8] { Array("[".utf8) }

    mutating func write(_ row: Item, previous: String?) throws -> [UInt8] {
      var writer = JSONWriter()
      writer.raw(isFirst ? "\n" : ",\n")
      isFirst = false
      let item = try ImportedItem(row, previous: previous)
      let plain = fields(item)
      // Other programs' fields whose names have a meaning here are collected in one field of ours.
      writer.write(.object(isRead(plain, as: item) ? plain : apart(item)))
      return writer.bytes
    }

    private func isRead(_ fields: JSONObject, as item: ImportedItem) -> Bool {
      let status = fields["status"]?.string ?? ""
      do {
        return try TaskwarriorFormat.item(fields, status, zone).isSame(as: item)
      } catch {
        return false
      }
    }

    private func apart(_ item: ImportedItem) -> JSONObject {
      var rest = item
      rest.extra = JSONObject()
      var fields = fields(rest)
      if !item.extra.isEmpty { fields["todoExtra"] = .object(item.extra) }
      return fields
    }

    mutating func end() throws -> [UInt8] { Array("\n]\n".utf8) }

    private func fields(_ item: ImportedItem) -> JSONObject {
      var extra = item.extra
      let waits = extra["status"]?.string == "waiting" && !item.done
      var fields: [(String, JSONValue)] = [
        ("id", .integer(item.id ?? 0)), ("uuid", JSONValue(item.uuid)), ("description", .string(item.title)),
        ("project", JSONValue(item.list)), ("status", .string(item.done ? "completed" : waits ? "waiting" : "pending")),
      ]
      if !item.tags.isEmpty { fields.append(("tags", .array(item.tags.map { .string($0) }))) }
      if let priority = item.priority {
        fields.append(("priority", .string(["L", "M", "H"][Int(priority.rawValue) - 1])))
      }
      func add(_ key: String, _ instant: Instant?) {
        if let instant { fields.append((key, .string(TaskwarriorFormat.text(instant)))) }
      }
      add("entry", item.created)
      add("end", item.completed)
      add("start", item.started)
      switch item.due {
      case .day(let day)?:
        let start = zone.start(of: day)
        add("due", start)
        fields.append(("todoDue", .string("\(day) \(TaskwarriorFormat.text(start))")))
      case .instant(let instant)?: add("due", instant)
      case nil: break
      }
      let kept = extra["recur"]?.string
      let isKept = item.every != nil && kept.flatMap(rhythm) == item.every
      if let every = item.every, !isKept {
        extra["recur"] = nil
        fields.append(("todoEvery", .string(every.rawValue)))
      } else if item.every == nil, kept != nil {
        fields.append(("todoEvery", .string(noRhythm)))
      }
      if item.archived { fields.append(("todoArchived", true)) }
      if let anchor = item.anchor { fields.append(("todoAnchor", .string(anchor))) }
      if let previous = item.previous { fields.append(("todoPrevious", .string(previous))) }
      if let day = item.dueDay { fields.append(("todoDueDay", .string(day.description))) }
      let notes = notes(item, &extra)
      for key in fields.map(\.0) { extra[key] = nil }
      extra["status"] = nil
      return JSONObject(fields + extra.pairs + notes)
    }

    /// Notes are annotations, with the times with which they were imported.
    private func notes(_ item: ImportedItem, _ extra: inout JSONObject) -> [(String, JSONValue)] {
      var former = extra["annotations"]?.array ?? []
      let isKept = !former.isEmpty
      var notes: [JSONValue] = []
      for note in item.notes {
        if let index = former.firstIndex(where: { ($0.object?["description"]?.string ?? "").isIdentical(to: note) }) {
          notes.append(former.remove(at: index))
        } else {
          notes.append(.object(annotation(note, of: item)))
        }
      }
      extra["annotations"] = nil
      if notes.isEmpty { return [] }
      // Marks made-up times, so that reading the export back does not keep them.
      return [("annotations", .array(notes))] + (isKept ? [] : [("todoNotes", true)])
    }
  }
}
