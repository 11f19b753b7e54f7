/// todo.txt: one line for each item, such as `(A) 2031-01-02 +home Pay rent @errand due:2031-01-05`.
///
/// A, B and C are high, medium and low; other letters are kept. The first +project is the list; further ones, and words
/// without a meaning here, stay in the title.
enum TodoTxtFormat {
  /// Where a letter beyond C is kept.
  private static let letterKey = "todotxtPriority"
  private static let letters: [(Priority, Character)] = [(.high, "A"), (.medium, "B"), (.low, "C")]

  static func read(_ bytes: [UInt8], _ zone: LocalZone) throws(TodoError) -> ImportBatch {
    var batch = ImportBatch()
    let lines = try TextLines(bytes)
    try lines.checkConflicts()
    for (index, line) in lines where !line.allSatisfy(\.isWhitespace) {
      guard var item = item(line, zone) else {
        throw .badData(
          "\(TextPlace(line: index + 1, column: 1)): these words of an export have no title before them; "
            + "if the line was wrapped, join it with the one before"
        )
      }
      item.place = TextPlace(line: index + 1, column: 1)
      item.keepTimesNotSaid()
      try batch.leaveOutWords(&item, "has no x")
      batch.items.append(item)
    }
    batch.noteCut(bytes)
    return batch
  }

  /// The item in a line; nil if there are only words of ours.
  private static func item(_ line: Substring, _ zone: LocalZone) -> ImportedItem? {
    var item = ImportedItem(title: "")
    var words = line.words[...]
    if words.first == "x", words.count > 1 {
      item.done = true
      words.removeFirst()
    }
    let isExported = MetaWords.isExported(words)
    // In an exported line another program may have changed the mark, and left the days and our words for the times.
    func said(_ key: String) -> Instant? {
      guard isExported, let word = words.first(where: { $0.hasPrefix(key) }) else { return nil }
      return Instant(iso: word.dropFirst(key.utf8.count))
    }
    let (created, wasDone) = (said("todo-created:"), item.done || said("todo-completed:") != nil)
    takePriority(&words, &item)
    let days = takeDays(&words, &item, wasDone, created, zone)
    item.created = days.created.map { zone.start(of: $0) }
    item.completed = days.completed.map { zone.start(of: $0) }
    // An export writes no other `pri:` outside a title, also where nothing tells any more that the item was done.
    Syntax(wasDone: wasDone || isExported).read(words, into: &item)
    // Another program changes the day, and leaves our word for the time.
    item.created = time(item.created, on: days.created, zone)
    item.completed = time(item.completed, on: days.completed, zone)
    if item.title.isEmpty {
      if words.contains(where: MetaWords.isOurs) { return nil }
      item.title = words.joined(separator: " ")
    }
    if item.title.isEmpty { item.title = String(line.trimmed) }
    if created != nil, !item.done, days.created == nil {
      item.line.warnings.append(
        "the day at the beginning of the line is missing, which each open item of an export has; if the line was broken, join it "
          + "with the one before")
    }
    if let word = words.first, words.count == 1, letter(in: word) != nil || CalendarDay(iso: word) != nil {
      item.line.warnings.append("\(word) is the title, because nothing follows it")
    }
    item.takeBackBlankNames()
    return item
  }

  /// Takes the days with which a line begins, and a priority behind them. An item that is or was done has the day of its
  /// completion first, and then the day of its creation, unless a single day is that of its creation.
  private static func takeDays(
    _ words: inout ArraySlice<Substring>, _ item: inout ImportedItem, _ wasDone: Bool, _ created: Instant?,
    _ zone: LocalZone
  ) -> (created: CalendarDay?, completed: CalendarDay?) {
    guard let first = takeDay(&words) else { return (nil, nil) }
    var second = wasDone ? takeDay(&words) : nil
    // Some programs put the mark and the day of completion before a priority, which the day of creation follows.
    if takePriority(&words, &item), wasDone, second == nil { second = takeDay(&words) }
    let isCreation = !wasDone || second == nil && isNear(created, first, zone)
    return isCreation ? (first, nil) : (second, first)
  }

  /// Whether a time is on a day in some zone. Zones are up to 26 hours apart, so their days are up to two apart.
  private static func isNear(_ time: Instant?, _ day: CalendarDay, _ zone: LocalZone) -> Bool {
    time.map { abs(zone.day(of: $0).number - day.number) <= 2 } ?? false
  }

  /// The time that a word of ours tells, if it is on the day with which the line begins in some zone; otherwise the
  /// start of that day.
  private static func time(_ time: Instant?, on day: CalendarDay?, _ zone: LocalZone) -> Instant? {
    guard let time, let day, !isNear(time, day, zone) else { return time }
    return zone.start(of: day)
  }

  private struct Syntax: LineSyntax {
    /// Whether the item is done, or was before its mark was removed.
    let wasDone: Bool

    func plain(_ word: Substring) -> String { String(word) }

    func isMeta(_ word: Substring) -> Bool { Syntax(wasDone: true).takes(word) }

    func isWrittenAlone(_ title: String) -> Bool { !Writer.styles(for: title).contains(.exact) }

    func take(_ word: Substring, into item: inout ImportedItem, _ seen: inout MetaWords.Seen) -> Bool {
      let rest = String(word.dropFirst())
      if word.first == "+", !rest.isEmpty, item.list == nil {
        item.list = rest
        return true
      }
      if word.first == "@", !rest.isEmpty {
        if seen.insert(tag: rest) { item.tags.append(rest) }
        return true
      }
      // How programs keep the priority of a done item.
      if wasDone, word.hasPrefix("pri:"), word.utf8.count == 5, item.priority == nil,
        item.extra[letterKey] == nil, let letter = word.last, ("A"..."Z").contains(letter)
      {
        set(letter, &item)
        return true
      }
      let letter = item.extra[letterKey]
      let before = item.extra
      guard MetaWords.take(word, into: &item, &seen) else { return false }
      // Our word for the extra fields replaces all of them. The letter of the line counts, also a missing one: other
      // programs change it, and leave our word as it is.
      if item.extra != before, letter != nil || item.priority == nil && keptLetter(in: item.extra) != nil {
        item.extra[letterKey] = letter
      }
      return true
    }
  }

  /// The letter beyond C that an item has.
  private static func keptLetter(in extra: JSONObject) -> Character? {
    let text = extra[letterKey]?.string ?? ""
    return text.utf8.count == 1 && ("D"..."Z").contains(text) ? text.first : nil
  }

  /// The letter of a priority such as `(A)`.
  private static func letter(in word: Substring) -> Character? {
    guard word.utf8.count == 3, word.hasPrefix("("), word.hasSuffix(")"), let letter = word.dropFirst().first else {
      return nil
    }
    return ("A"..."Z").contains(letter) ? letter : nil
  }

  @discardableResult
  private static func takePriority(_ words: inout ArraySlice<Substring>, _ item: inout ImportedItem) -> Bool {
    guard let word = words.first, words.count > 1, let letter = letter(in: word), item.priority == nil,
      item.extra.isEmpty
    else { return false }
    set(letter, &item)
    words.removeFirst()
    return true
  }

  private static func set(_ letter: Character, _ item: inout ImportedItem) {
    item.priority = letters.first { $0.1 == letter }?.0
    if item.priority == nil { item.extra[letterKey] = .string(String(letter)) }
  }

  private static func takeDay(_ words: inout ArraySlice<Substring>) -> CalendarDay? {
    guard let word = words.first, words.count > 1, let day = CalendarDay(iso: word) else { return nil }
    words.removeFirst()
    return day
  }

  // MARK: Writing

  struct Writer: ExportWriter {
    let zone: LocalZone

    mutating func begin(_ head: ExportHead) throws -> [UInt8] { [] }

    mutating func write(_ item: Item, previous: String?) throws -> [UInt8] {
      let item = try ImportedItem(item, previous: previous)
      // Content that reading the line would change is written in words that can hold anything.
      let isClear = MetaWords.mistakes(in: item.title.words, of: item).isEmpty
      for style in Self.styles(for: item.title) where isClear || style != .plain {
        let line = Array((line(item, style) + "\n").utf8)
        // As a file of its own, because any line may be the first.
        guard let alone = try? TodoTxtFormat.read(line, zone).items, alone.count == 1 else { continue }
        if alone[0].isSame(as: item) { return line }
      }
      return Array((line(item, .exactAlone) + "\n").utf8)
    }

    /// How a title may be written so that another program can edit the line: words of the title mean nothing else, even
    /// if they could be read as they are, beside the same word for a field or behind a day.
    fileprivate static func styles(for title: String) -> [Style] {
      let words = title.words
      if words.contains(where: { $0.hasPrefix(MetaWords.titlePrefix) }) { return [] }
      // The list stands before the title, so its first word is no mark, priority or day, and a second list is part of
      // the title.
      let syntax = Syntax(wasDone: true)
      let isPlain = !words.contains { $0.first != "+" && syntax.isMeta($0) }
      let isHead = words.first.map { $0 == "x" || $0.hasPrefix("(") || CalendarDay(iso: $0) != nil } ?? false
      return (isPlain ? [.plain] : []) + (isHead ? [] : [.exact])
    }

    /// How the title is written: plain, plain and also in a word of ours, or only in the word.
    fileprivate enum Style {
      case plain, exact, exactAlone
    }

    mutating func end() throws -> [UInt8] { [] }

    private func line(_ item: ImportedItem, _ style: Style) -> String {
      var words: [String] = []
      var rest = item
      let kept = keptLetter(in: item.extra)
      let letter = letters.first { $0.0 == item.priority }?.1 ?? kept
      // If there are other extra fields, our word for them holds this one too, in its place.
      if item.priority == nil, kept != nil, rest.extra.members.count == 1 { rest.extra[letterKey] = nil }
      if item.done { words.append("x") }
      if let letter, !item.done { words.append("(\(letter))") }
      if item.done, let completed = item.completed {
        words.append(zone.day(of: completed).description)
      }
      // After an x, the first day is the day of completion.
      if let created = item.created, !item.done || item.completed != nil {
        words.append(zone.day(of: created).description)
      }
      let list = item.list ?? TodoStore.defaultList
      if style == .plain { words.append("+\(list)") }
      if style != .exactAlone { words += item.title.words.map(String.init) }
      if style == .plain {
        words += item.tags.map { "@\($0)" }
      } else {
        words += [MetaWords.word("title", item.title), MetaWords.word("list", list)]
        words += item.tags.map { MetaWords.word("tag", $0) }
      }
      if let letter, item.done { words.append("pri:\(letter)") }
      return (words + MetaWords.words(rest)).joined(separator: " ")
    }
  }
}

/// Words and white space by code points: a combining mark after a blank begins a word.
extension StringProtocol where SubSequence == Substring {
  /// Without white space at both ends.
  var trimmed: Substring {
    var result = self[...].unicodeScalars
    while result.first?.properties.isWhitespace == true { result.removeFirst() }
    while result.last?.properties.isWhitespace == true { result.removeLast() }
    return Substring(result)
  }

  /// The texts between single blanks, some of them empty.
  var splitAtBlanks: [Substring] {
    self[...].unicodeScalars.split(separator: " ", omittingEmptySubsequences: false).map { Substring($0) }
  }

  /// The words between white space.
  var words: [Substring] {
    self[...].unicodeScalars.split(whereSeparator: \.properties.isWhitespace).map { Substring($0) }
  }
}

extension ImportedItem {
  /// Marks times that a line does not have as not said: a line has no other way to leave one out.
  mutating func keepTimesNotSaid() {
    if created == nil { absent.insert(.created) }
    if completed == nil { absent.insert(.completed) }
  }

  /// Whether two items have the same content, at any place in a file; texts are compared by their bytes.
  func isSame(as other: ImportedItem) -> Bool {
    var copy = self
    copy.place = other.place
    copy.absent = other.absent
    copy.line = other.line
    return copy == other && title.isIdentical(to: other.title)
      && zip(tags, other.tags).allSatisfy { $0.isIdentical(to: $1) }
      && zip(notes, other.notes).allSatisfy { $0.isIdentical(to: $1) }
      && (list ?? "").isIdentical(to: other.list ?? "")
  }
}
