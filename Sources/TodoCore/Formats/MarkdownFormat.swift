/// Checklists in Markdown: headings are lists, checkboxes are items, and an item's attributes follow its title as
/// words.
///
///     # Home
///
///     - [ ] Pay rent @errand !high due:2031-01-02 every:month > ask for a receipt
///
/// Nested checkboxes are items in the order of the file. Quotes and other text below an item are its notes, one for
/// each line. Text that belongs to no item is left out and counted.
enum MarkdownFormat {
  static func read(_ bytes: [UInt8]) throws(TodoError) -> ImportBatch {
    let text = try TextLines(bytes)
    try text.checkConflicts()
    let lines = text.map(\.element)
    var reader = MarkdownReader()
    for (index, line) in lines.enumerated().dropFirst(reader.leaveOutFrontMatter(of: lines)) {
      try reader.read(line, index)
    }
    var batch = try reader.finish()
    batch.noteCut(bytes)
    return batch
  }

  /// The note in a line below an item: a quote, or text that is indented or follows without a blank line. Nil for other
  /// text.
  static func note(_ line: Substring, isApart: Bool = false) -> String? {
    let text = line.trimmed
    if text.first == ">" { return unescaped(withoutBreak(text.dropFirst().drop { $0 == " " })) }
    if isLikeBox(text) { return nil }
    if line.first?.isWhitespace == true { return unescaped(withoutBreak(text)) }
    // A list item without a checkbox is not a note of another item.
    let isListItem = text.count > 1 && "-*+".contains(line.first ?? " ") && text.dropFirst().first == " "
    return isApart || isListItem ? nil : unescaped(withoutBreak(text))
  }

  /// A line without the backslash at its end that keeps programs from joining it with the next one.
  private static func withoutBreak(_ text: Substring) -> Substring {
    text.reversed().prefix { $0 == "\\" }.count.isMultiple(of: 2) ? text : text.dropLast()
  }

  /// Whether a line was probably meant as a box, and lacks a blank: `-[ ] Milk`, `- []Milk`.
  private static func isLikeBox(_ text: Substring) -> Bool {
    guard let mark = text.first, "-*+".contains(mark) else { return false }
    // Not `- [x](link)`.
    return text.prefixMatch(of: /[-*+]\s*\[[ xX]?\](?![(\[:])/) != nil
  }

  /// The line of a note; nil if reading it would give another note.
  private static func noteLine(_ note: String) -> String? {
    let line = "  > \(escaped(note))"
    let isOneLine = !note.unicodeScalars.contains {
      $0.value < 0x20 || $0.value == 0x85 || (0x2028...0x2029).contains($0.value)
    }
    // A word that identifies an item shows that an item's line was broken.
    if note.words.contains(where: MetaWords.isUUID) { return nil }
    return isOneLine && self.note(line[...])?.utf8.elementsEqual(note.utf8) == true ? line : nil
  }

  /// The name in a heading; nil if it is not a heading.
  static func heading(_ line: Substring) -> String? {
    guard line.prefix(while: { $0 == " " }).count < 4 else { return nil }
    let text = line.trimmed
    let level = text.prefix { $0 == "#" }.count
    guard (1...6).contains(level), text.dropFirst(level).first.map(\.isWhitespace) ?? false else { return nil }
    var name = text.dropFirst(level).trimmed
    let end = name.reversed().prefix { $0 == "#" }.count
    if end > 0, name.dropLast(end).last.map(\.isWhitespace) ?? true { name = name.dropLast(end).trimmed }
    // A name that can't be written in a heading unchanged follows in a word.
    if let word = name.words.last {
      var named = ImportedItem(title: "")
      var seen = MetaWords.Seen()
      if word.hasPrefix(MetaWords.listPrefix), MetaWords.take(word, into: &named, &seen), let exact = named.list {
        // The text before it is for human readers. If somebody has changed it, the text counts.
        let shown = unescaped(name.words.dropLast().joined(separator: " "))
        return shown.isEmpty || shown.isIdentical(to: exact.words.joined(separator: " ")) ? exact : shown
      }
    }
    return name.isEmpty ? nil : unescaped(name)
  }

  /// The heading of a list: one line, whatever its name contains.
  private static func headingLine(_ name: String) -> String {
    let line = "# \(escaped(name))"
    let isOneLine = line.utf8.allSatisfy { $0 != 0x0A && $0 != 0x0D }
    let isClear = isOneLine && !name.words.contains(where: MetaWords.isUUID)
    if isClear, heading(line[...])?.isIdentical(to: name) == true { return line }
    let words = name.words.joined(separator: " ")
    return "# \(escaped(words)) \(MetaWords.word("list", name))"
  }

  /// What follows the mark of a list item, with the white space before it; nil if there is no mark.
  static func contentOfListItem(_ text: Substring) -> Substring? {
    var rest = text
    if let mark = rest.first, "-*+".contains(mark) {
      rest = rest.dropFirst()
    } else {
      let digits = rest.prefix { $0.isASCII && $0.isNumber }
      guard (1...9).contains(digits.count), let mark = rest.dropFirst(digits.count).first, ".)".contains(mark) else {
        return nil
      }
      rest = rest.dropFirst(digits.count + 1)
    }
    return rest.first?.isWhitespace == true ? rest : nil
  }

  /// Whether the checkbox of a line is ticked, and the rest of the line; nil if there is no checkbox.
  static func box(_ text: Substring) -> (isDone: Bool, rest: Substring)? {
    guard let content = contentOfListItem(text) else { return nil }
    let rest = content.trimmed
    guard rest.count >= 3, rest.first == "[", rest.dropFirst(2).first == "]" else { return nil }
    let mark = rest.dropFirst().first
    let behind = rest.dropFirst(3)
    guard mark == " " || mark == "x" || mark == "X", behind.first.map(\.isWhitespace) ?? true else { return nil }
    return (mark != " ", behind.trimmed)
  }

  /// The item after a checkbox; nil if there is no title.
  static func item(_ text: Substring, isDone: Bool) -> ImportedItem? {
    var item = ImportedItem(title: "")
    item.done = isDone
    var words = text.splitAtBlanks[...]
    var said: [Substring] = []
    // In an exported line our words begin behind the title, and somebody may have added others there.
    let isExported = MetaWords.isExported(words)
    if isExported,
      let first = words.firstIndex(where: { $0.hasPrefix(MetaWords.titlePrefix) })
        ?? words.firstIndex(where: { MetaWords.isOurs($0) && syntax.isMeta($0) })
    {
      said = Array(words[first...])
      words = words[..<first]
    }
    // Backwards, up to the first word that is part of the title.
    while let word = words.last, syntax.isMeta(word) {
      said.insert(word, at: 0)
      words.removeLast()
    }
    syntax.read(text: words, said, into: &item)
    // Words such as `@alice` that stand alone are the title too, unless an export has written them.
    if item.title.isEmpty, !said.contains(where: MetaWords.isOurs) {
      item.title = unescaped(said.filter { !$0.isEmpty }.joined(separator: " "))
    }
    item.takeBackBlankNames()
    return item.title.isEmpty ? nil : item
  }

  static let syntax = Syntax()

  struct Syntax: LineSyntax {
    func plain(_ word: Substring) -> String { unescaped(word) }

    func isMeta(_ word: Substring) -> Bool { word.isEmpty || takes(word) }

    func isWrittenAlone(_ title: String) -> Bool { Writer.isOurs(title) }

    func take(_ word: Substring, into item: inout ImportedItem, _ seen: inout MetaWords.Seen) -> Bool {
      let rest = String(word.dropFirst())
      switch word.first {
      case "@" where !rest.isEmpty: item.tags.append(unescaped(rest))
      case "!":
        guard let priority = Priority(name: rest), item.priority == nil else { return false }
        item.priority = priority
      case "+" where !rest.isEmpty:
        if item.list != nil { return false }
        item.list = unescaped(rest)
      default: return MetaWords.take(word, into: &item, &seen)
      }
      return true
    }
  }

  // MARK: Escapes

  /// The characters that have a meaning in Markdown, or before a word of ours.
  ///
  /// They are code points, and the text is compared by code points: readers see a sign with an accent as that sign.
  private static let signs: Set<Unicode.Scalar> = [
    "\\", "`", "*", "_", "{", "}", "[", "]", "<", ">", "(", ")", "#", "+", "-", ".", "!", "|", "~", "@", ":", "&", "$",
    "=",
    "\"", "'", "/", "%", ",", ";", "?", "^",
  ]
  private static let escapedSigns: Set<Unicode.Scalar> = ["\\", "`", "*", "_", "[", "]", "<", ">", "#", "|", "~", "&"]

  static func unescaped(_ text: some StringProtocol) -> String {
    guard text.utf8.contains(UInt8(ascii: "\\")) else { return String(text) }
    var result = String.UnicodeScalarView()
    var isEscaped = false
    for character in text.unicodeScalars {
      if isEscaped {
        if !signs.contains(character) { result.append("\\") }
        result.append(character)
        isEscaped = false
      } else if character == "\\" {
        isEscaped = true
      } else {
        result.append(character)
      }
    }
    if isEscaped { result.append("\\") }
    return String(result)
  }

  fileprivate static func escaped(
    _ text: some StringProtocol, _ signs: Set<Unicode.Scalar> = escapedSigns
  ) -> String {
    var result = String.UnicodeScalarView()
    for character in text.unicodeScalars {
      if signs.contains(character) { result.append("\\") }
      result.append(character)
    }
    return String(result)
  }

  /// A title with its Markdown characters escaped.
  fileprivate static func title(_ title: String) -> String {
    // Such a title is in no word of ours, so no word of it may look as if it had a meaning.
    if Writer.isOurs(title) { return escaped(title, escapedSigns.union(["@", "!", "+", ":"])) }
    return escaped(title)
  }

  /// Whether a title has words that could be read as ours.
  fileprivate static func hasWordsOfOurs(_ title: String) -> Bool {
    title.splitAtBlanks.contains { !$0.isEmpty && syntax.isMeta($0) }
  }

  // MARK: Writing

  struct Writer: ExportWriter {
    private var lists: ArraySlice<String> = []
    private var list: String?
    private var isFirst = true

    mutating func begin(_ head: ExportHead) throws -> [UInt8] {
      lists = head.lists.map(\.name)[...]
      return []
    }

    mutating func write(_ row: Item, previous: String?) throws -> [UInt8] {
      var text = list?.isIdentical(to: row.list) == true ? "" : headings(upTo: row.list)
      list = row.list
      var whole = try ImportedItem(row, previous: previous)
      // Notes keep their order only if all of them fit into lines of their own, or none does.
      let notes = row.notes.compactMap(MarkdownFormat.noteLine)
      let hasLines = notes.count == row.notes.count
      if hasLines { whole.notes = [] }
      var expected = whole
      expected.list = nil
      // Content that reading the line would change is written in words that can hold anything.
      // Escapes would do, but programs that format Markdown remove those of signs without a meaning in Markdown.
      let isClear =
        MetaWords.mistakes(in: whole.title.words, of: whole).isEmpty && !MarkdownFormat.hasWordsOfOurs(whole.title)
      let styles = Self.isOurs(whole.title) ? [Style.plain] : isClear ? [.plain, .exact] : [.exact]
      let style = styles.first { Self.isRead(line(whole, $0), as: expected) } ?? .exactAlone
      text += line(whole, style) + "\n"
      if hasLines, !notes.isEmpty { text += notes.joined(separator: "\\\n") + "\n" }
      return Array(text.utf8)
    }

    /// Whether the text of a title has a word like the one of ours that would follow it.
    fileprivate static func isOurs(_ title: String) -> Bool {
      title.words.contains { $0.hasPrefix(MetaWords.titlePrefix) }
    }

    private static func isRead(_ line: String, as expected: ImportedItem) -> Bool {
      let read = MarkdownFormat.box(line[...]).flatMap { MarkdownFormat.item($0.rest, isDone: $0.isDone) }
      return read?.isSame(as: expected) == true && line.utf8.allSatisfy { $0 != 0x0A && $0 != 0x0D }
    }

    /// How the title is written: plain, plain and also in a word of ours, or only in the word.
    private enum Style {
      case plain, exact, exactAlone
    }

    mutating func end() throws -> [UInt8] { Array(headings(upTo: nil).utf8) }

    /// The headings of the next lists, including those without items.
    private mutating func headings(upTo name: String?) -> String {
      var text = ""
      while let next = lists.first {
        lists.removeFirst()
        let isLast = name.map { next.isIdentical(to: $0) } ?? false
        text += (isFirst ? "" : "\n") + MarkdownFormat.headingLine(next) + "\n" + (isLast ? "\n" : "")
        isFirst = false
        if isLast { break }
      }
      return text
    }

    private func line(_ item: ImportedItem, _ style: Style) -> String {
      var words = ["- [\(item.done ? "x" : " ")]"]
      let isExact = style != .plain
      switch style {
      case .plain: words.append(MarkdownFormat.title(item.title))
      case .exact: words.append(MarkdownFormat.escaped(item.title.words.joined(separator: " ")))
      case .exactAlone: break
      }
      if isExact { words.append(MetaWords.word("title", item.title)) }
      // The first word of ours shows where the title ends, also if somebody adds text to the line.
      var meta = MetaWords.words(item)
      if let first = meta.firstIndex(where: { $0.hasPrefix("todo-") }) { words.append(meta.remove(at: first)) }
      words += item.tags.map { tag in
        let word = "@\(MarkdownFormat.escaped(tag))"
        let isRead = !tag.contains(where: \.isWhitespace) && MarkdownFormat.unescaped(word).isIdentical(to: "@\(tag)")
        return isExact || !isRead ? MetaWords.word("tag", tag) : word
      }
      if let priority = item.priority { words.append("!\(priority.name)") }
      return (words + meta).joined(separator: " ")
    }
  }
}
