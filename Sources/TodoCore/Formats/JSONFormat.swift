/// Our own JSON: everything, including other programs' fields that were imported.
///
/// It is `{"schema":1,"revision":N,"lists":[{"name":…}],"sections":[{"name":…,"items":[…]}]}`. Items have the
/// fields that `list --json` prints and, if needed, `dueDay`, `anchor` and `previous`, and in `extra` everything else
/// that was imported (or nothing). Unknown fields of an item are kept with those in `extra`, and unknown fields of
/// lists are kept too; those of sections and of the document itself are left out. Lists without items are among
/// `lists`. The output of `list --json` can be read too, and so can an array of items.
enum JSONFormat {
  /// The names of the fields that an item's columns store, in the order in which they are written; all others are kept
  /// separately.
  private static let known = [
    "id", "uuid", "title", "list", "tags", "priority", "due", "every", "done", "created", "completed", "started",
    "notes", "archived", "wait", "dueDay", "anchor", "previous", "extra",
  ]

  static func read(_ bytes: [UInt8]) throws(TodoError) -> ImportBatch {
    let document: JSONValue
    do {
      document = try JSONValue.parse(bytes)
    } catch {
      throw .badData("\(error)")
    }
    var batch = ImportBatch()
    switch document {
    case .array(let values):
      for item in try FieldReader.objects(values) { batch.items.append(try self.item(item, in: nil)) }
    case .object(let fields):
      try FieldReader(fields).checkNames()
      if let schema = fields["schema"], schema.integer != 1 {
        throw FieldReader(fields).error("schema", "is not 1, the only one that this program knows")
      }
      guard fields["sections"] != nil || fields["lists"] != nil || fields["items"] != nil else {
        throw FieldReader(fields).error(nil, "this is no export of to-dos: it has neither sections nor items")
      }
      try readLists(fields, &batch)
      try readSections(fields, &batch)
      for item in try FieldReader(fields).objects("items") { batch.items.append(try self.item(item, in: nil)) }
      leaveOut(fields, but: ["schema", "revision", "lists", "sections", "items"], "the whole document", &batch)
    default: throw .badData("line 1, column 1: an object or an array is expected here, not \(document.kind)")
    }
    return batch
  }

  private static func readLists(_ fields: JSONObject, _ batch: inout ImportBatch) throws(TodoError) {
    var names: Set<TextKey> = []
    for list in try FieldReader(fields).objects("lists") {
      let reader = FieldReader(list)
      try reader.checkNames()
      let name = try reader.existingText("name")
      guard names.insert(TextKey(listName: name)).inserted else {
        throw reader.error("name", "is that of a list that is here already; put them together")
      }
      var imported = ImportedList(name: name, extra: list.without(["name"]))
      imported.place = list.place
      batch.lists.append(imported)
    }
  }

  private static func readSections(_ fields: JSONObject, _ batch: inout ImportBatch) throws(TodoError) {
    // In a view by tag an item occurs under each of its tags.
    var seen: [String: JSONObject] = [:]
    for section in try FieldReader(fields).objects("sections") {
      let reader = FieldReader(section)
      try reader.checkNames()
      for object in try reader.objects("items") {
        let item = try item(object, in: section["name"]?.string)
        if let uuid = item.uuid, seen.updateValue(object, forKey: uuid) == object { continue }
        batch.items.append(item)
      }
      leaveOut(section, but: ["name", "items"], "a section", &batch)
    }
  }

  private static func leaveOut(_ object: JSONObject, but known: [String], _ of: String, _ batch: inout ImportBatch) {
    for member in object.without(known).members {
      batch.warn(at: member.place ?? object.place, "the field \"\(member.key)\" of \(of) is left out")
    }
  }

  private static func item(_ fields: JSONObject, in section: String?) throws(TodoError) -> ImportedItem {
    let reader = FieldReader(fields)
    try reader.checkNames()
    var item = ImportedItem(title: "")
    item.uuid = try reader.uuid("uuid")
    item.title = try reader.existingText("title")
    item.place = fields.place
    item.id = try reader.id("id")
    item.list = try reader.text("list") ?? section
    item.tags = try reader.texts("tags")
    item.priority = try reader.value("priority", "is \"high\", \"medium\", \"low\" or null") { Priority(name: $0) }
    item.due = try reader.value("due", "is such as \"2031-01-02\" or \"2031-01-02T14:00:00Z\", or null") {
      Due(iso: $0)
    }
    item.every = try reader.value(
      "every", "is \"day\", \"week\", \"month\", \"year\" or such as \"2weeks\", or null", Recurrence.init(rawValue:))
    item.wait = try reader.value("wait", "is such as \"2031-01-02\" or \"2031-01-02T14:00:00Z\", or null") {
      Due(iso: $0)
    }
    item.done = try reader.bool("done")
    item.archived = try reader.bool("archived")
    func instant(_ key: String) throws(TodoError) -> Instant? {
      try reader.value(key, "is a moment such as \"2031-01-02T14:00:00Z\", or null") { Instant(iso: $0) }
    }
    item.created = try instant("created")
    item.completed = try instant("completed")
    // A time of completion makes an item done, unless the file says that it is not.
    if item.completed != nil, fields["done"] == nil || fields["done"] == .null { item.done = true }
    item.started = try instant("started")
    item.notes = try reader.texts("notes")
    item.dueDay = try reader.value("dueDay", "is such as \"2031-01-02\"") { CalendarDay(iso: $0) }
    item.anchor = try reader.value(
      "anchor", "is such as \"2031-01-31\" or \"2031-01-31T09:00:00[Europe/Berlin]\"", ImportedItem.anchor)
    // An export names it also if it is the due date.
    if item.anchor == item.due?.description { item.anchor = nil }
    item.previous = try reader.uuid("previous")
    item.absent = Set(ImportedItem.Field.allCases.filter { fields[$0.rawValue] == nil })
    if item.completed != nil { item.absent.remove(.done) }
    item.extra = fields.without(known)
    switch fields["extra"] {
    case nil, .null?: break
    case .object(let own)?:
      try FieldReader(own).checkNames()
      for member in own.members {
        if let beside = item.extra[member.key], beside != member.value {
          throw FieldReader(own).error(
            member.key, "is in \"extra\" and beside it with another value; leave one of the two out")
        }
        item.extra[member.key] = member.value
      }
    // Another program's field with that name.
    case let value?: item.extra["extra"] = value
    }
    return item
  }

  // MARK: Writing

  /// Writes the document, with one item in each line.
  struct Writer: ExportWriter {
    private var writer = JSONWriter()
    private var list: String?
    private var isFirstItem = true

    mutating func begin(_ head: ExportHead) throws -> [UInt8] {
      writer.raw("{\"schema\":1,\"revision\":")
      writer.write(head.revision)
      writer.raw(",\"lists\":[")
      for (index, list) in head.lists.enumerated() {
        writer.raw(index == 0 ? "\n" : ",\n")
        writer.write(.object(JSONObject([("name", .string(list.name))] + list.extra.without(["name"]).pairs)))
      }
      writer.raw("\n],\"sections\":[")
      return take()
    }

    mutating func write(_ item: Item, previous: String?) throws -> [UInt8] {
      if list?.isIdentical(to: item.list) != true {
        writer.raw(list == nil ? "\n{\"name\":" : "\n]},\n{\"name\":")
        writer.write(item.list)
        writer.raw(",\"items\":[\n")
        list = item.list
        isFirstItem = true
      }
      if !isFirstItem { writer.raw(",\n") }
      isFirstItem = false
      var fields: [(String, JSONValue)] = []
      if case .instant? = item.due, let day = item.dueDay { fields.append(("dueDay", .string(day.description))) }
      if item.every != nil { fields.append(("anchor", JSONValue(item.anchor))) }
      if let previous { fields.append(("previous", .string(previous))) }
      // They are in a field of their own, so that none is ever mistaken for one of ours, whatever fields we add later.
      // It is there without any too: what a file does not name stays as it is.
      fields.append(("extra", .object(try item.extraFields())))
      writer.write(item, and: fields)
      return take()
    }

    mutating func end() throws -> [UInt8] {
      writer.raw(list == nil ? "]}\n" : "\n]}\n]}\n")
      return take()
    }

    private mutating func take() -> [UInt8] {
      defer { writer.removeAll() }
      return writer.bytes
    }
  }
}

extension JSONObject {
  /// The fields as pairs.
  var pairs: [(String, JSONValue)] { members.map { ($0.key, $0.value) } }

  /// The fields whose names are not in `names`. Fast if they are in the same order.
  func without(_ names: [String]) -> JSONObject {
    var next = 0
    func isNamed(_ member: Member) -> Bool {
      if next < names.count, names[next].isIdentical(to: member.key) {
        next += 1
        return true
      }
      func find(_ range: Range<Int>) -> Int? { range.first { names[$0].isIdentical(to: member.key) } }
      if let index = find(next..<names.count) ?? find(0..<next) {
        next = index + 1
        return true
      }
      return false
    }
    let others = members.filter { !isNamed($0) }
    return others.isEmpty ? JSONObject() : JSONObject(others.map { ($0.key, $0.value) })
  }
}
