/// An item's attributes as words after its title, in text formats with one item in each line.
///
/// `due:2031-01-02` and `every:month` are readable words. Attributes that only this program has are words that begin
/// with `todo-`, so that an import restores everything, and no word of another program is mistaken for one of ours.
enum MetaWords {
  private static let prefix = "todo-"
  static let titlePrefix = "todo-title:"
  static let listPrefix = "todo-list:"

  /// The words for everything that the format has no syntax for.
  static func words(_ item: ImportedItem) -> [String] {
    var words: [String] = []
    if let due = item.due { words.append("due:\(due)") }
    if let every = item.every { words.append("every:\(every.rawValue)") }
    if let id = item.id { words.append("todo-id:\(id)") }
    if let uuid = item.uuid { words.append("todo-uuid:\(uuid)") }
    if let created = item.created { words.append("todo-created:\(created)") }
    if let completed = item.completed { words.append("todo-completed:\(completed)") }
    if let started = item.started { words.append("todo-started:\(started)") }
    if let day = item.dueDay { words.append("todo-due-day:\(day)") }
    if let anchor = item.anchor { words.append(word("anchor", anchor)) }
    if let previous = item.previous { words.append("todo-previous:\(previous)") }
    if item.archived { words.append("todo-archived:yes") }
    words += item.notes.map { "todo-note:\(PercentWord.encode($0))" }
    if !item.extra.isEmpty { words.append("todo-extra:\(PercentWord.encode(JSONValue.object(item.extra).text))") }
    return words
  }

  /// A word that contains a field's exact value, whatever is in it.
  static func word(_ key: String, _ value: String) -> String { "todo-\(key):\(PercentWord.encode(value))" }

  /// A title that a word contains. An export writes it as text too, as far as a line can.
  struct Title {
    let text: String
    private let words: [String]

    fileprivate init(_ text: String) {
      self.text = text
      words = text.words.map(String.init)
    }

    /// Whether a text is empty or what an export writes. Otherwise somebody has changed it.
    func isSaid(by text: some Collection<some StringProtocol>) -> Bool {
      text.isEmpty || text.elementsEqual(words) { $0.utf8.elementsEqual($1.utf8) }
    }

    /// The words of the title, which mean nothing else.
    var keys: Set<TextKey> { Set(words.map { TextKey($0) }) }
  }

  /// Whether a word is the one that each line of an export has.
  static func isUUID(_ word: some StringProtocol) -> Bool {
    word.hasPrefix("todo-uuid:") && UUIDText.canonical(String(word.dropFirst("todo-uuid:".count))) != nil
  }

  /// Whether the words are of a line of an export, which always has a UUID.
  static func isExported(_ words: some Sequence<Substring>) -> Bool { words.contains { $0.hasPrefix("todo-uuid:") } }

  /// Whether the words are of a line of an export, as far as words tell that nobody types.
  static func isPartOfExport(_ words: some Sequence<Substring>) -> Bool {
    let keys: [Key] = [.id, .created, .previous, .extra]
    var (item, seen) = (ImportedItem(title: ""), Seen())
    return words.contains { word in
      keys.contains { word.hasPrefix("\(prefix)\($0.rawValue):") } && take(word, into: &item, &seen)
    }
  }

  /// What the words that begin with `todo-` say.
  fileprivate enum Key: String, CaseIterable {
    case id, uuid, created, completed, started, anchor, previous, list, archived, title, tag, note, extra
    case dueDay = "due-day"
  }

  /// Whether a word begins as only words of this program do.
  static func isOurs(_ word: some StringProtocol) -> Bool { word.hasPrefix(prefix) }

  /// Whether a word begins like one of ours, perhaps behind other signs.
  static func isLikeOurs(_ word: Substring) -> Bool {
    let text = word.prefix { $0 != ":" }.lowercased()
    if text.utf8.count == word.utf8.count { return false }
    return text.contains(prefix) && Key.allCases.contains { text.hasSuffix(prefix + $0.rawValue) }
  }

  /// The words of a title that were probably meant for a date, a recurrence or another field, and why they are not.
  ///
  /// An export writes a title with such words also in a word of ours, or escapes them.
  static func mistakes(in words: [Substring], of item: ImportedItem) -> [(word: Substring, reason: String)] {
    let misplaced = "such a word counts only after the whole title"
    return words.indices.compactMap { index in
      let word = words[index]
      if isLikeOurs(word) { return (word, "it is not as an export writes it") }
      let key = word.prefix { $0 != ":" }
      var value = word.dropFirst(key.count + 1)
      if value.isEmpty {
        // With a blank before the value, if that is one.
        guard key.count < word.count, index + 1 < words.count else { return nil }
        value = words[index + 1]
        guard Due(iso: value) != nil || Recurrence(rawValue: String(value)) != nil else { return nil }
      }
      let isWord = key.utf8.count + 1 < word.utf8.count && key == key.lowercased()
      switch key.lowercased() {
      case "due":
        let isKnown = isWord && Due(iso: value) != nil
        if item.due != nil { return isKnown ? (word, "the item has another due date") : nil }
        return (word, isKnown ? misplaced : "a date is written like due:2031-01-31")
      case "every":
        let isKnown = isWord && Recurrence(rawValue: String(value)) != nil
        if item.every != nil { return isKnown ? (word, "the item has another recurrence") : nil }
        return (
          word, isKnown ? misplaced : "a recurrence is written like every:month, and is one of: \(Recurrence.names)"
        )
      default: return nil
      }
    }
  }

  /// The field that a word is about, if it is about any: `due` for `due:2031-01-02`, `list` for `+Home`.
  static func field(of word: Substring) -> Substring {
    switch word.unicodeScalars.first {
    case "+": return "list"
    case "!": return "priority"
    default: break
    }
    let key = word.prefix { $0 != ":" }
    return key.hasPrefix(prefix) ? key.dropFirst(prefix.count) : key
  }

  /// The title in a word `todo-title:…`; nil if it is no such word.
  static func title(_ word: Substring) -> Title? {
    guard word.hasPrefix(titlePrefix) else { return nil }
    return PercentWord.decode(word.dropFirst(titlePrefix.utf8.count)).map(Title.init)
  }

  /// The fields that words have set. The second word for a field stays a plain word; a todo.txt line can also begin
  /// with the days of which `todo-created:` and `todo-completed:` tell the time.
  struct Seen {
    fileprivate var keys: Set<Key> = []
    private var tags: Set<TextKey> = []

    /// Whether a tag is new.
    mutating func insert(tag: String) -> Bool { tags.insert(TextKey(tag)).inserted }

    /// Leaves later words `todo-title:…` as they are.
    mutating func insertTitle() { keys.insert(.title) }
  }

  /// Reads a word as an attribute of an item; returns false if it isn't one.
  static func take(_ word: Substring, into item: inout ImportedItem, _ seen: inout Seen) -> Bool {
    guard let colon = word.firstIndex(of: ":") else { return false }
    let key = word[..<colon]
    let value = word[word.index(after: colon)...]
    switch key {
    case "due":
      guard item.due == nil, let due = Due(iso: value) else { return false }
      item.due = due
      return true
    case "every":
      guard item.every == nil, let every = Recurrence(rawValue: String(value)) else { return false }
      item.every = every
      return true
    default:
      guard key.hasPrefix(prefix), let text = PercentWord.decode(value) else { return false }
      return take(String(key.dropFirst(prefix.count)), text, into: &item, &seen)
    }
  }

  private static func take(
    _ key: String, _ text: String, into item: inout ImportedItem, _ seen: inout Seen
  ) -> Bool {
    func set<T>(_ path: WritableKeyPath<ImportedItem, T?>, _ value: T?) -> Bool {
      guard let value, item[keyPath: path] == nil else { return false }
      item[keyPath: path] = value
      return true
    }
    guard let key = Key(rawValue: key) else { return false }
    switch key {
    case .id: return set(\.id, Int64(text).flatMap { $0 > 0 ? $0 : nil })
    case .uuid: return set(\.uuid, UUIDText.canonical(text))
    case .created, .completed:
      guard let instant = Instant(iso: text), seen.keys.insert(key).inserted else { return false }
      if key == .created { item.created = instant } else { item.completed = instant }
      return true
    case .started: return set(\.started, Instant(iso: text))
    case .dueDay: return set(\.dueDay, CalendarDay(iso: text))
    case .anchor: return set(\.anchor, ImportedItem.anchor(text))
    case .previous: return set(\.previous, UUIDText.canonical(text))
    case .list: return set(\.list, text.isEmpty ? nil : text)
    case .archived:
      if text != "yes" || item.archived { return false }
      item.archived = true
      return true
    case .title:
      if text.isEmpty || !seen.keys.insert(key).inserted { return false }
      item.title = text
      return true
    case .tag:
      if text.isEmpty { return false }
      _ = seen.insert(tag: text)
      item.tags.append(text)
      return true
    case .note:
      item.notes.append(text)
      return true
    case .extra:
      // If it is no JSON, it is another program's word.
      guard let object = (try? JSONValue.parse(text))?.object, seen.keys.insert(key).inserted else { return false }
      item.extra = object
      return true
    }
  }
}

extension ImportBatch {
  /// Leaves out what no longer fits an item whose mark or words another program has changed, with a warning. Also warns
  /// of words that were probably meant for a date or a recurrence.
  mutating func leaveOutWords(_ item: inout ImportedItem, _ isOpen: String) throws(TodoError) {
    if item.completed != nil, !item.done {
      item.completed = nil
      warn(item, "todo-completed", "it \(isOpen)")
    }
    if item.anchor != nil, item.every == nil {
      item.anchor = nil
      warn(item, "todo-anchor", "it does not recur")
    }
    if item.line.hasSecondUUID {
      throw .badData("\(item.place.prefix)this has the words of two items; write each item in a line of its own")
    }
    for warning in item.line.warnings { warn(at: item.place, warning) }
  }

  /// Warns of an export that was perhaps cut off: it has items with UUIDs, and ends within a line.
  mutating func noteCut(_ bytes: [UInt8]) {
    guard let last = bytes.last, last != 0x0A, last != 0x0D, items.contains(where: { $0.uuid != nil }) else { return }
    warnings.append(
      "the last line of the file has no end, as each line of an export has; if it was cut off, get the whole file")
  }

  mutating func warn(_ item: ImportedItem, _ field: String, _ reason: String) {
    warn(at: item.place, "\(field) of \"\(item.title)\" is left out, because \(reason)")
  }
}

extension ImportedItem {
  /// Makes words for names of blanks part of the title: no export without a UUID holds such a name.
  mutating func takeBackBlankNames() {
    if uuid != nil { return }
    if !title.isEmpty, lacksTitle { title = MetaWords.word("title", title) }
    if let name = list, isMissing(name) {
      list = nil
      title += (title.isEmpty ? "" : " ") + MetaWords.word("list", name)
    }
  }

  /// An item as in an export.
  init(_ item: Item, previous: String?) throws {
    self.init(title: item.title)
    id = item.id
    uuid = item.uuid
    list = item.list
    tags = item.tags
    priority = item.priority
    due = item.due
    if case .instant? = item.due { dueDay = item.dueDay }
    every = item.every
    if item.anchor != item.due?.description { anchor = item.anchor }
    self.previous = previous
    done = item.done
    created = item.created
    completed = item.completed
    started = item.started
    notes = item.notes
    archived = item.archived
    extra = try item.extraFields()
  }
}
