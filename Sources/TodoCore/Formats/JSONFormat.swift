/// Our own JSON: everything, including other programs' fields that were imported.
///
/// It is `{"schema":1,"revision":N,"lists":[{"name":…}],"sections":[{"name":…,"items":[…]}]}`. Items have the fields
/// that `list --json` prints and, if needed, `dueDay`, `anchor` and `previous`, and in `extra` everything else that was
/// imported (or nothing). Unknown fields of an item are kept with those in `extra`. Unknown fields of lists and of
/// sections are kept too. Those of the document itself are not, because it may be one of many that were imported. Lists
/// without items are among `lists`. The output of `list --json` can be read too, and so can an array of items.
enum JSONFormat {
  /// The names of the fields that an item's columns store, in the order in which they are written; all others are kept
  /// separately.
  private static let known = [
    "id", "uuid", "title", "list", "tags", "priority", "due", "every", "done", "created", "completed", "started",
    "notes", "archived", "dueDay", "anchor", "previous", "extra",
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
      for member in fields.members where !["schema", "revision", "lists", "sections", "items"].contains(member.key) {
        batch.warn(at: member.place, "the field \"\(member.key)\" of the whole document is left out")
      }
    default: throw .badData("line 1, column 1: an object or an array is expected here, not \(document.kind)")
    }
    return batch
  }

  private static func readLists(_ fields: JSONObject, _ batch: inout ImportBatch) throws(TodoError) {
    var names: Set<TextKey> = []
    for list in try FieldReader(fields).objects("lists") {
      try FieldReader(list).checkNames()
      guard let name = try FieldReader(list).listName("name") else {
        throw FieldReader(list).error(nil, "a name is missing")
      }
      if !names.insert(TextKey(listName: name)).inserted, list.members.count > 1 {
        throw FieldReader(list).error(
          "name", "is that of a list that is here already, and this one has fields; put them together")
      }
      var imported = ImportedList(name: name, extra: try foreignFields(of: list, ["name"]))
      imported.place = list.place
      batch.lists.append(imported)
    }
  }

  private static func readSections(_ fields: JSONObject, _ batch: inout ImportBatch) throws(TodoError) {
    // In a view by tag an item occurs under each of its tags.
    var seen: [String: [Int]] = [:]
    var lists: [TextKey: Int] = [:]
    for (index, list) in batch.lists.enumerated() where lists[TextKey(listName: list.name)] == nil {
      lists[TextKey(listName: list.name)] = index
    }
    for section in try FieldReader(fields).objects("sections") {
      try FieldReader(section).checkNames()
      let name = section["name"]?.string
      var isList = false
      var elsewhere: ImportedItem?
      for item in try FieldReader(section).objects("items") {
        let item = try self.item(item, in: name)
        if let name, let list = item.list, TextKey(listName: list) != TextKey(listName: name) {
          elsewhere = elsewhere ?? item
        }
        isList = name.map { item.list?.isIdentical(to: $0) == true } ?? false
        if let uuid = item.uuid {
          if seen[uuid]?.contains(where: { batch.items[$0].saysTheSame(as: item) }) == true { continue }
          seen[uuid, default: []].append(batch.items.count)
        }
        batch.items.append(item)
      }
      // Only an export names lists, and its sections are lists.
      if fields["lists"] != nil, let name, let item = elsewhere, let list = item.list {
        batch.warn(
          at: item.place,
          "\"\(item.title)\" is in the section \"\(name)\", but its \"list\" is \"\(list)\", which counts; "
            + "change \"list\" to move items")
      }
      // Another program's fields of a section are stored with its list, in a field of their own. (In other views
      // sections are not lists.)
      let own = try foreignFields(of: section, ["name", "items"])
      if own.isEmpty { continue }
      func leaveOutFields() {
        let names = own.members.map { "\"\($0.key)\"" }.joined(separator: ", ")
        batch.warn(
          at: section.place, "\(names) of a section that is no list \(own.members.count == 1 ? "is" : "are") left out")
      }
      guard let name = try FieldReader(section).listName("name") else {
        leaveOutFields()
        continue
      }
      // Without items nothing says whether it is a list; only lists have fields of other programs.
      if lists[TextKey(listName: name)] == nil, isList || section["items"]?.array?.isEmpty != false {
        lists[TextKey(listName: name)] = batch.lists.count
        batch.lists.append(ImportedList(name: name))
      }
      guard let index = lists[TextKey(listName: name)] else {
        leaveOutFields()
        continue
      }
      var known = batch.lists[index].extra[sectionKey]?.object ?? JSONObject()
      for member in own.members {
        if let other = known[member.key], other != member.value {
          throw FieldReader(section).error(
            member.key, "has another value in an earlier section of that name; leave one of the two out")
        }
        known[member.key] = member.value
      }
      batch.lists[index].extra[sectionKey] = .object(known)
    }
  }

  /// The field of a list or a section that holds those of other programs whose names are taken.
  private static let extraKey = "todoExtra"

  /// Other programs' fields of a list or a section.
  private static func foreignFields(of object: JSONObject, _ own: [String]) throws(TodoError) -> JSONObject {
    guard let taken = object[extraKey]?.object else { return object.without(own) }
    try FieldReader(taken).checkNames()
    var fields = object.without(own + [extraKey])
    for member in taken.members { fields[member.key] = member.value }
    return fields
  }

  /// The pairs to write for other programs' fields of a list or a section.
  private static func pairs(_ fields: JSONObject, besides own: [String]) -> [(String, JSONValue)] {
    let isTaken = { (key: String) in (own + [extraKey]).contains { $0.isIdentical(to: key) } }
    let free = fields.pairs.filter { !isTaken($0.0) }
    let taken = fields.pairs.filter { isTaken($0.0) }
    return taken.isEmpty ? free : free + [(extraKey, .object(JSONObject(taken)))]
  }

  /// The field of a list that holds those of its section.
  private static let sectionKey = "todoSection"

  private static func item(_ fields: JSONObject, in section: String?) throws(TodoError) -> ImportedItem {
    let reader = FieldReader(fields)
    try reader.checkNames()
    var item = ImportedItem(title: "")
    item.uuid = try reader.uuid("uuid")
    item.title = try reader.title("title", of: item)
    item.place = fields.place
    item.id = try reader.id("id")
    item.list = try reader.list("list", of: item) ?? section
    item.tags = try reader.tags("tags")
    if let name = try reader.text("priority") {
      guard let priority = Priority(name: name) else {
        throw reader.error("priority", "is \"high\", \"medium\", \"low\" or null")
      }
      item.priority = priority
    }
    if let text = try reader.text("due") {
      guard let due = Due(iso: text) else {
        throw reader.error("due", "is such as \"2031-01-02\" or \"2031-01-02T14:00:00Z\", or null")
      }
      item.due = due
    }
    if let text = try reader.text("every") {
      guard let every = Recurrence(rawValue: text) else {
        throw reader.error("every", "is \"day\", \"week\", \"month\", \"year\" or null")
      }
      item.every = every
    }
    item.done = try reader.bool("done")
    item.archived = try reader.bool("archived")
    item.created = try reader.instant("created")
    item.completed = try reader.instant("completed")
    if item.completed != nil, !item.done {
      guard fields["done"] == nil || fields["done"] == .null else {
        throw reader.error("completed", "is a moment, but \"done\" is false; change one of the two")
      }
      item.done = true
    }
    item.started = try reader.instant("started")
    item.notes = try reader.texts("notes")
    item.dueDay = try reader.day("dueDay")
    item.anchor = try reader.anchor("anchor")
    if item.anchor != nil, item.every == nil, fields["every"] != nil {
      throw reader.error("anchor", "is the start of a recurrence, but \"every\" is missing; add it, or leave this out")
    }
    // An export names it also if it is the due date.
    if item.anchor == item.due?.description { item.anchor = nil }
    item.previous = try reader.uuid("previous")
    item.absent = absent(fields)
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

  /// The fields that an object does not name.
  private static func absent(_ fields: JSONObject) -> Set<ImportedItem.Field> {
    let keys: KeyValuePairs<ImportedItem.Field, String> = [
      .tags: "tags", .priority: "priority", .due: "due", .dueDay: "dueDay", .every: "every", .anchor: "anchor",
      .done: "done", .created: "created", .completed: "completed", .started: "started", .notes: "notes",
      .archived: "archived", .extra: "extra",
    ]
    var absent = Set(keys.filter { fields[$0.value] == nil }.map(\.key))
    // A time of completion makes an item done.
    if fields["completed"]?.string != nil { absent.remove(.done) }
    return absent
  }

  // MARK: Writing

  /// Writes the document, with one item in each line.
  struct Writer: ExportWriter {
    private var writer = JSONWriter()
    private var list: String?
    private var isFirstItem = true
    /// The fields of lists' sections besides their items.
    private var sections: [TextKey: (name: String, fields: JSONObject)] = [:]

    mutating func begin(_ head: ExportHead) throws -> [UInt8] {
      writer.raw("{\"schema\":1,\"revision\":")
      writer.write(head.revision)
      writer.raw(",\"lists\":[")
      for (index, list) in head.lists.enumerated() {
        writer.raw(index == 0 ? "\n" : ",\n")
        let section = list.extra[sectionKey]?.object?.withoutRepeats
        if let section { sections[TextKey(list.name)] = (list.name, section) }
        let extra = section == nil ? list.extra : list.extra.without([sectionKey])
        let pairs = JSONFormat.pairs(extra, besides: ["name"])
        writer.write(.object(JSONObject([("name", .string(list.name))] + pairs)))
      }
      writer.raw("\n],\"sections\":[")
      return take()
    }

    mutating func write(_ item: Item, previous: String?) throws -> [UInt8] {
      if list?.isIdentical(to: item.list) != true {
        beginSection(item.list, sections.removeValue(forKey: TextKey(item.list))?.fields)
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

    private mutating func beginSection(_ name: String, _ fields: JSONObject?) {
      writer.raw(list == nil ? "\n{\"name\":" : "\n]},\n{\"name\":")
      writer.write(name)
      for (key, value) in JSONFormat.pairs(fields ?? JSONObject(), besides: ["name", "items"]) {
        writer.raw(",")
        writer.write(.string(key))
        writer.raw(":")
        writer.write(value)
      }
      writer.raw(",\"items\":[\n")
      list = name
    }

    mutating func end() throws -> [UInt8] {
      // Lists without items that have fields of sections.
      for (_, section) in sections.sorted(by: { $0.value.name < $1.value.name }) {
        beginSection(section.name, section.fields)
      }
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

extension ImportedItem {
  /// Whether two items have the same content, at any place in the file.
  fileprivate func saysTheSame(as other: ImportedItem) -> Bool {
    var copy = other
    copy.place = place
    copy.list = list
    return isSame(as: copy)
  }
}
