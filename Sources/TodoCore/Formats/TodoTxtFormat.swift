/// todo.txt: one line for each item, such as `(A) 2031-01-02 +home Pay rent @errand due:2031-01-05`.
///
/// A, B and C are high, medium and low; other letters are kept. The first +project is the list; further ones, and words
/// without a meaning here, stay in the title. So do projects and contexts in the middle of the title, which is read as
/// it was written: "Ask @bob about +launch plan".
enum TodoTxtFormat {
  /// Where a letter beyond C is kept.
  private static let letterKey = "todotxtPriority"
  private static let letters: [(Priority, Character)] = [(.high, "A"), (.medium, "B"), (.low, "C")]

  /// What a line can't hold. The days at its beginning are for new items, because existing ones have times.
  private static let absent: Set<ImportedItem.Field> = [
    .created, .completed, .started, .notes, .archived, .dueDay, .anchor, .extra,
  ]

  static func read(_ bytes: [UInt8], _ zone: LocalZone) throws(TodoError) -> ImportBatch {
    var batch = ImportBatch()
    for (index, line) in try TextLines(bytes) {
      let words = line.words
      if words.isEmpty { continue }
      var item = item(words[...], zone)
      item.place = TextPlace(line: index + 1, column: 1)
      batch.items.append(item)
    }
    return batch
  }

  private static func item(_ line: ArraySlice<Substring>, _ zone: LocalZone) -> ImportedItem {
    var item = ImportedItem(title: "")
    item.absent = absent
    var words = line
    if words.first == "x", words.count > 1 {
      item.done = true
      words.removeFirst()
    }
    var days: [CalendarDay] = []
    var letter: Character?
    // Some programs put the days of a done item before its priority.
    while words.count > 1, let word = words.first {
      if letter == nil, item.done || days.isEmpty, let found = Self.letter(in: word) {
        letter = found
      } else if days.count < (item.done ? 2 : 1), let day = CalendarDay(iso: word) {
        days.append(day)
      } else {
        break
      }
      words.removeFirst()
    }
    if item.done { item.completed = days.first.map { zone.start(of: $0) } }
    item.created = days.dropFirst(item.done ? 1 : 0).first.map { zone.start(of: $0) }
    var title: [Substring] = []
    // Signs at both ends are no part of the title.
    let isPlain = words.indices.filter { !words[$0].isSign && !words[$0].contains(":") }
    let middle = (isPlain.first ?? 0)..<(isPlain.last ?? 0)
    for (index, word) in zip(words.indices, words) {
      // How programs keep the priority of a done item.
      if item.done, letter == nil, word.hasPrefix("pri:"), let found = Self.letter(in: "(\(word.dropFirst(4)))") {
        letter = found
      } else if !take(word, &item) || (word.isSign && middle.contains(index)) {
        title.append(word)
      }
    }
    item.title = (title.isEmpty ? Array(words) : title).joined(separator: " ")
    item.priority = letters.first { $0.1 == letter }?.0
    if let letter, item.priority == nil {
      item.extra[letterKey] = .string(String(letter))
    } else {
      item.emptied = [letterKey]
    }
    return item
  }

  private static func take(_ word: Substring, _ item: inout ImportedItem) -> Bool {
    let rest = String(word.unicodeScalars.dropFirst())
    switch word.unicodeScalars.first {
    case "+" where !rest.isEmpty && item.list == nil: item.list = rest
    case "@" where !rest.isEmpty: item.tags.append(rest)
    case _ where item.every == nil && word.hasPrefix("rec:"):
      item.every = recurrence(word.dropFirst(4))
      return item.every != nil
    case _ where item.wait == nil && word.hasPrefix("t:"):
      item.wait = Due(iso: word.dropFirst(2))
      return item.wait != nil
    case _ where item.uuid == nil && word.hasPrefix("uuid:"):
      item.uuid = UUIDText.canonical(String(word.dropFirst(5)))
      return item.uuid != nil
    default: return item.take(pair: word)
    }
    return true
  }

  // MARK: Recurrences

  /// The units of `rec:`, whose numbers count from completion unless a + is before them; b is a business day.
  private static let units: [(Character, DateUnit)] = [("d", .day), ("w", .week), ("m", .month), ("y", .year)]

  private static func recurrence(_ text: Substring) -> Recurrence? {
    if text == "+1b" { return Recurrence("weekday") }
    let count = text.drop { $0 == "+" }.dropLast()
    guard let unit = units.first(where: { $0.0 == text.last })?.1, let number = Int(count),
      let every = Recurrence("\(number)\(unit.rawValue)s" + (text.first == "+" ? "" : "-after-done")),
      rec(every).map({ text == $0 }) == true
    else { return nil }
    return every
  }

  private static func rec(_ every: Recurrence) -> String? {
    if every == Recurrence("weekday") { return "+1b" }
    guard let (count, unit) = every.units, let letter = units.first(where: { $0.1 == unit })?.0 else { return nil }
    return "\(every.isAfterDone ? "" : "+")\(count)\(letter)"
  }

  /// The words for the due date, the recurrence and the date that an item waits for. `every:` stays for what it has
  /// always said, and for what `rec:` can't say.
  private static func pairs(_ item: ImportedItem) -> [String] {
    let word = item.every.flatMap { $0.rhythm == nil ? nil : rec($0) }
    let every = word.map { "rec:\($0)" } ?? item.every.map { "every:\($0.rawValue)" }
    return [item.due.map { "due:\($0)" }, every, item.wait.map { "t:\($0)" }].compactMap { $0 }
  }

  /// The letter of a priority such as `(A)`.
  private static func letter(in word: Substring) -> Character? {
    guard word.utf8.count == 3, word.hasPrefix("("), word.hasSuffix(")"), let letter = word.dropFirst().first else {
      return nil
    }
    return ("A"..."Z").contains(letter) ? letter : nil
  }

  // MARK: Writing

  struct Writer: ExportWriter {
    let zone: LocalZone
    let ids: Bool
    private(set) var loss = ExportLoss()

    mutating func begin(_ head: ExportHead) throws -> [UInt8] { [] }

    mutating func write(_ item: Item, previous: String?) throws -> [UInt8] {
      let item = try ImportedItem(item, previous: previous)
      let line = Array((line(item) + "\n").utf8)
      loss.add(item, readAs: try? TodoTxtFormat.read(line, zone).items.first)
      return line
    }

    mutating func end() throws -> [UInt8] { [] }

    private func line(_ item: ImportedItem) -> String {
      var words: [String] = []
      let kept = item.extra[letterKey]?.string.flatMap { TodoTxtFormat.letter(in: "(\($0))") }
      let letter = letters.first { $0.0 == item.priority }?.1 ?? kept
      if item.done { words.append("x") }
      if let letter, !item.done { words.append("(\(letter))") }
      if item.done, let completed = item.completed { words.append(zone.day(of: completed).description) }
      // After an x, the first day is the day of completion.
      if let created = item.created, !item.done || item.completed != nil {
        words.append(zone.day(of: created).description)
      }
      // The list is before the title, so that no first word of the title is a mark, a priority or a day.
      let title = item.title.words
      let said = title.count > 2 ? title[1..<title.count - 1].filter(\.isSign) : []
      if let list = item.list, list.isWord, said.first(where: { $0.unicodeScalars.first == "+" }) != "+\(list)" {
        words.append("+\(list)")
      }
      words += title.map(String.init)
      words += item.tags.filter(\.isWord).map { "@\($0)" }.filter { !said.contains($0[...]) }
      if let letter, item.done { words.append("pri:\(letter)") }
      words += pairs(item)
      if ids, let uuid = item.uuid { words.append("uuid:\(uuid)") }
      return words.joined(separator: " ")
    }
  }
}

extension Substring {
  /// Whether it is a project or a context.
  fileprivate var isSign: Bool {
    (unicodeScalars.first == "+" || unicodeScalars.first == "@") && unicodeScalars.count > 1
  }
}
