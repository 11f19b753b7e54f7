/// The output of taskwarrior's `task export`: an array of tasks, or one task in each line.
///
/// Deleted tasks and the parents of recurring ones are left out. Fields that have no column here (depends, the
/// times of annotations, user-defined fields) are kept and written back.
enum TaskwarriorFormat {
  private static let known = [
    "id", "uuid", "description", "project", "tags", "priority", "due", "status", "entry", "end", "start", "recur",
    "annotations",
  ]
  /// What taskwarrior computes at each export.
  private static let computed = ["urgency", "modified"]
  /// The names of recurrences there: the one that is written first, and others that are read.
  private static let rhythms: [(Recurrence?, [String])] = [
    (.day, ["daily"]), (Recurrence("weekday"), ["weekdays"]), (.week, ["weekly", "7d", "7days", "P7D"]),
    (Recurrence("2weeks"), ["biweekly", "fortnight"]), (.month, ["monthly"]), (Recurrence("2months"), ["bimonthly"]),
    (Recurrence("quarter"), ["quarterly"]), (Recurrence("6months"), ["semiannual"]),
    (.year, ["yearly", "annual"]), (Recurrence("2years"), ["biannual", "biyearly"]),
  ]
  private static let units: [(String, [String])] = [
    ("days", ["day", "days", "d"]), ("weeks", ["week", "weeks", "wks", "wk", "w"]),
    ("months", ["month", "months", "mths", "mth", "mos", "mo", "m"]),
    ("quarters", ["quarter", "quarters", "qtrs", "qtr", "q"]), ("years", ["year", "years", "yrs", "yr", "y"]),
  ]

  /// The recurrence that a `recur` means, such as `monthly`, `2 wks` or `P2W`; nil for one that does not exist here.
  private static func rhythm(_ text: String) -> Recurrence? {
    let word = text.filter { $0 != " " }
    if let named = rhythms.first(where: { $0.1.contains(word) }) { return named.0 }
    let number = word.first == "P" ? word.dropFirst().lowercased() : word
    let digits = number.prefix { $0.isNumber }
    let unit = units.first { $0.1.contains(String(number.dropFirst(digits.count))) }
    return unit.flatMap { Recurrence((digits.isEmpty ? "1" : digits) + $0.0) }
  }

  /// The text of a recurrence; nil for one that does not exist there.
  private static func text(_ every: Recurrence) -> String? {
    if let named = rhythms.first(where: { $0.0 == every }) { return named.1[0] }
    return every.units != nil && !every.isAfterDone ? every.rawValue : nil
  }

  /// Makes the field `wait` the item's own, if it is a date.
  private static func adoptWait(_ item: inout ImportedItem, _ zone: LocalZone) {
    guard item.wait == nil, let text = item.extra["wait"]?.string, let wait = parse(text) else { return }
    item.wait = due(wait, zone)
    item.extra["wait"] = nil
    if item.extra["status"]?.string == "waiting" { item.extra["status"] = nil }
  }

  /// Taskwarrior stores a date without a time as midnight.
  private static func due(_ instant: Instant, _ zone: LocalZone) -> Due {
    let day = zone.day(of: instant)
    return zone.start(of: day) == instant ? .day(day) : .instant(instant)
  }

  static func read(_ bytes: [UInt8], _ zone: LocalZone) throws(TodoError) -> ImportBatch {
    let values: [JSONValue]
    do {
      values = try JSONValue.parseSequence(bytes)
    } catch {
      throw .badData("\(error)")
    }
    var batch = ImportBatch()
    var deleted = 0
    // The open instances of recurring tasks, by the UUIDs of those: their numbers and their places in the batch.
    var instances: [String: [(mask: Double, index: Int)]] = [:]
    for fields in try FieldReader.objects(values.flatMap { $0.array ?? [$0] }) {
      let status = try FieldReader(fields).text("status") ?? (fields["end"]?.string == nil ? "pending" : "completed")
      if status == "deleted" {
        deleted += 1
        continue
      }
      let item = try item(fields, status, zone)
      if status == "recurring" {
        batch.series.append(item)
        continue
      }
      if !item.done, let recur = item.extra["recur"]?.string, !recur.isEmpty {
        batch.warn(
          at: item.place,
          "the recurrence \"\(recur)\" of \"\(item.title)\" is only kept for taskwarrior; here it is such as month"
        )
      }
      if !item.done, let parent = fields["parent"]?.string.flatMap(UUIDText.canonical) {
        let mask = fields["imask"].flatMap { if case .number(let digits) = $0 { Double(digits) } else { nil } } ?? -1
        instances[parent, default: []].append((mask, batch.items.count))
      }
      batch.items.append(item)
    }
    keepLast(of: instances, in: &batch, zone)
    if deleted > 0 { batch.warn(at: nil, "left out \(deleted == 1 ? "1 deleted task" : "\(deleted) deleted tasks")") }
    return batch
  }

  /// Lets the last open instance of each recurring task recur. All of them contain the recurrence, and otherwise each
  /// would start a series of its own.
  private static func keepLast(
    of instances: [String: [(mask: Double, index: Int)]], in batch: inout ImportBatch, _ zone: LocalZone
  ) {
    let last = instances.compactMapValues { $0.max { ($0.mask, $0.index) < ($1.mask, $1.index) }?.index }
    for (parent, instances) in instances {
      for instance in instances where instance.index != last[parent] { batch.items[instance.index].every = nil }
    }
    for series in batch.series {
      guard let index = series.uuid.flatMap({ last[$0] }) else {
        batch.warn(
          at: series.place,
          "the recurring task \"\(series.title)\" is left out, because no open instance of it is in the file")
        continue
      }
      let instance = batch.items[index]
      // Of a series that began on the 31st, an instance may be on the 30th. The next ones are on the 31st again.
      guard let start = series.due, let due = instance.due, [.month, .year].contains(instance.every?.units?.unit),
        start.day(in: zone).date.day > due.day(in: zone).date.day
      else { continue }
      switch (start, due) {
      case (.day(let day), .day): batch.items[index].anchor = Anchor(day).text
      case (.instant(let instant), .instant):
        batch.items[index].anchor = Anchor(zone.wallTime(at: instant), in: zone.identifier(at: instant)).text
      default: break
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
    item.title = try reader.existingText("description")
    item.place = fields.place
    item.id = try reader.id("id")
    item.list = try reader.text("project")
    item.tags = try reader.texts("tags")
    guard ["pending", "waiting", "completed", "recurring"].contains(status) else {
      throw reader.error("status", "is pending, waiting, completed, deleted or recurring")
    }
    item.done = status == "completed"
    item.absent = [.archived, .dueDay, .anchor]
    item.extra = fields.without(known + computed)
    if status == "waiting" { item.extra["status"] = .string(status) }
    if let text = try reader.text("priority"), !text.isEmpty {
      if let index = ["L", "M", "H"].firstIndex(of: text) {
        item.priority = Priority.allCases[index]
      } else {
        item.extra["priority"] = .string(text)  // a user-defined priority
      }
    }
    item.created = try instant("entry", reader)
    item.completed = try instant("end", reader)
    if !item.done, item.completed != nil {
      // Of a task that was opened again by other means than taskwarrior's.
      item.extra["end"] = fields["end"]
      item.completed = nil
    }
    if item.created == nil { item.absent.insert(.created) }
    if item.completed == nil { item.absent.insert(.completed) }
    item.started = try instant("start", reader)
    item.due = try instant("due", reader).map { due($0, zone) }
    adoptWait(&item, zone)
    if let recur = try reader.text("recur") {
      item.every = rhythm(recur)
      if item.every == nil { item.extra["recur"] = .string(recur) }
    } else {
      item.absent.insert(.every)  // it has none that it could say
    }
    var own: [JSONValue] = []
    for note in try reader.objects("annotations") {
      let text = try FieldReader(note).text("description") ?? ""
      item.notes.append(text)
      if note != annotation(text, of: item) { own.append(.object(note)) }
    }
    if !own.isEmpty { item.extra["annotations"] = .array(own) }
    return item
  }

  /// A note as an annotation, with the time of the task.
  private static func annotation(_ note: String, of item: ImportedItem) -> JSONObject {
    let entry = text(item.created ?? Instant(seconds: 0))
    return JSONObject([("entry", .string(entry)), ("description", .string(note))])
  }

  /// "20310102T140000Z", as ISO has it, or the seconds since 1970.
  private static func instant(_ key: String, _ reader: FieldReader) throws(TodoError) -> Instant? {
    if let seconds = reader.integer(key) { return Instant(seconds: seconds) }
    return try reader.value(key, "is a moment such as \"20310102T140000Z\"", parse)
  }

  private static func parse(_ text: String) -> Instant? {
    if let seconds = Int64(text) { return Instant(seconds: seconds) }
    let digits = Array(text.utf8)
    guard digits.count == 16 else { return Instant(iso: text) }
    func part(_ range: Range<Int>) -> String { String(decoding: digits[range], as: UTF8.self) }
    return Instant(iso: "\(part(0..<4))-\(part(4..<6))-\(part(6..<11)):\(part(11..<13)):\(part(13..<16))")
  }

  private static func text(_ instant: Instant) -> String { instant.description.filter { $0 != "-" && $0 != ":" } }

  // MARK: Writing

  /// Writes a task a line, in an array.
  struct Writer: ExportWriter {
    private let moment: Moment
    private let zone: LocalZone
    private(set) var loss = ExportLoss()
    private var isFirst = true

    init(at moment: Moment) {
      self.moment = moment
      zone = moment.zone
    }

    mutating func begin(_ head: ExportHead) throws -> [UInt8] { Array("[".utf8) }

    mutating func write(_ row: Item, previous: String?) throws -> [UInt8] {
      var item = try ImportedItem(row, previous: previous)
      adoptWait(&item, zone)
      var fields = fields(item)
      var again = read(fields)
      if again == nil {
        // Fields of other programs can have values that taskwarrior's own never have.
        var plain = item
        plain.extra = JSONObject()
        fields = self.fields(plain)
        again = read(fields)
      }
      loss.add(item, readAs: again)
      var writer = JSONWriter()
      writer.raw(isFirst ? "\n" : ",\n")
      isFirst = false
      writer.write(.object(fields))
      return writer.bytes
    }

    private func read(_ fields: JSONObject) -> ImportedItem? {
      try? TaskwarriorFormat.item(fields, fields["status"]?.string ?? "", zone)
    }

    mutating func end() throws -> [UInt8] { Array("\n]\n".utf8) }

    private func fields(_ item: ImportedItem) -> JSONObject {
      let wait = item.wait.map { $0.start(in: zone) }
      let waits = !item.done && (item.extra["status"]?.string == "waiting" || wait.map { $0 > moment.instant } == true)
      var fields = JSONObject([
        ("id", .integer(item.id ?? 0)), ("uuid", JSONValue(item.uuid)), ("description", .string(item.title)),
        ("project", JSONValue(item.list)), ("status", .string(item.done ? "completed" : waits ? "waiting" : "pending")),
      ])
      if !item.tags.isEmpty { fields["tags"] = .array(item.tags.map { .string($0) }) }
      if let priority = item.priority { fields["priority"] = .string(["L", "M", "H"][Int(priority.rawValue) - 1]) }
      func text(_ instant: Instant?) -> JSONValue? { instant.map { .string(TaskwarriorFormat.text($0)) } }
      fields["entry"] = text(item.created)
      fields["end"] = text(item.completed)
      fields["start"] = text(item.started)
      fields["due"] = text(item.due?.start(in: zone))
      fields["wait"] = text(wait)
      // Taskwarrior refuses a recurring task that is not due.
      if item.due != nil { fields["recur"] = item.every.flatMap { TaskwarriorFormat.text($0) }.map { .string($0) } }
      // In the order in which they are read.
      for (key, value) in item.extra.pairs where !known.contains(key) && fields[key] == nil { fields[key] = value }
      for key in ["priority", "end", "recur"] where fields[key] == nil {
        let value = item.extra[key]
        if key != "recur" || rhythm(value?.string ?? "") == nil { fields[key] = value }
      }
      if !item.notes.isEmpty { fields["annotations"] = .array(annotations(item)) }
      return fields
    }

    /// Notes as annotations, with the times with which they were imported.
    private func annotations(_ item: ImportedItem) -> [JSONValue] {
      var former = item.extra["annotations"]?.array ?? []
      return item.notes.map { note in
        if let index = former.firstIndex(where: { ($0.object?["description"]?.string ?? "").isIdentical(to: note) }) {
          return former.remove(at: index)
        }
        return .object(annotation(note, of: item))
      }
    }
  }
}
