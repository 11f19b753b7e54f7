/// Checklists in Markdown: headings are lists, checkboxes are items, and an item's attributes follow its title as
/// words.
///
///     # Home
///
///     - [ ] Pay rent @errand !high due:2031-01-02 every:month
///       > ask for a receipt
///
/// Nested checkboxes are items in the order of the file. Quotes and indented text below an item are its notes, one for
/// each line. Other text is left out and counted.
enum MarkdownFormat {
  /// What a checklist can't hold.
  private static let absent: Set<ImportedItem.Field> = [
    .created, .completed, .started, .archived, .dueDay, .anchor, .extra,
  ]

  static func read(_ bytes: [UInt8]) throws(TodoError) -> ImportBatch {
    var reader = MarkdownReader()
    for (index, line) in try TextLines(bytes) { reader.read(line, index) }
    return reader.batch
  }

  /// The note in a line below an item: a quote or indented text. Nil for other text.
  static func note(_ line: Substring) -> String? {
    let text = line.trimmed
    if text.first == ">" { return unescaped(withoutBreak(text.dropFirst().drop { $0 == " " })) }
    return line.first?.isWhitespace == true ? unescaped(withoutBreak(text)) : nil
  }

  /// A line without the backslash at its end, which is a line break in Markdown.
  private static func withoutBreak(_ text: Substring) -> Substring {
    text.reversed().prefix { $0 == "\\" }.count.isMultiple(of: 2) ? text : text.dropLast()
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
    return name.isEmpty ? nil : unescaped(name)
  }

  /// Whether the checkbox of a line is ticked, and the rest of the line; nil if there is no checkbox.
  static func box(_ text: Substring) -> (isDone: Bool, rest: Substring)? {
    let parts = text.unicodeScalars.split(maxSplits: 1, whereSeparator: \.properties.isWhitespace)
    guard parts.count == 2, isListMark(Substring(parts[0])) else { return nil }
    let rest = Substring(parts[1]).trimmed.unicodeScalars
    guard let box = ["[ ]", "[x]", "[X]"].first(where: { rest.starts(with: $0.unicodeScalars) }) else { return nil }
    let behind = rest.dropFirst(3)
    guard behind.first?.properties.isWhitespace ?? true else { return nil }
    return (box != "[ ]", Substring(behind).trimmed)
  }

  /// Whether a word begins the item of a list: a sign, or a number with a point or a parenthesis.
  private static func isListMark(_ word: Substring) -> Bool {
    if ["-", "*", "+"].contains(word) { return true }
    return (2...10).contains(word.utf8.count) && (word.hasSuffix(".") || word.hasSuffix(")"))
      && word.utf8.dropLast().allSatisfy { (48...57).contains($0) }
  }

  /// The item after a checkbox, whose text is not empty.
  static func item(_ text: Substring, isDone: Bool) -> ImportedItem {
    var item = ImportedItem(title: "")
    item.done = isDone
    item.absent = absent
    var words = text.splitAtBlanks[...]
    // Backwards, up to the first word that is part of the title.
    var attributes: [Substring] = []
    while let word = words.last, word.isEmpty || isAttribute(word) {
      attributes.append(word)
      words.removeLast()
    }
    // The second word for a field stays in the title.
    words += attributes.reversed().filter { !$0.isEmpty && !take($0, &item) }
    // Words such as `@alice` that stand alone are the title too.
    item.title = unescaped(words.isEmpty ? text : words.joined(separator: " ")[...])
    return item
  }

  private static func isAttribute(_ word: Substring) -> Bool {
    var item = ImportedItem(title: "")
    return take(word, &item)
  }

  private static func take(_ word: Substring, _ item: inout ImportedItem) -> Bool {
    let rest = Substring(word.unicodeScalars.dropFirst())
    switch word.unicodeScalars.first {
    case "@" where !rest.isEmpty: item.tags.append(unescaped(rest))
    case "!" where item.priority == nil:
      item.priority = Priority(name: String(rest))
      return item.priority != nil
    default: return item.take(pair: word)
    }
    return true
  }

  // MARK: Escapes

  /// The characters that are escaped. They are code points: readers see a sign with an accent as that sign.
  private static let escapedSigns: Set<Unicode.Scalar> = ["\\", "`", "*", "_", "[", "]", "<", ">", "#", "|", "~", "&"]

  static func unescaped(_ text: Substring) -> String {
    guard text.utf8.contains(UInt8(ascii: "\\")) else { return String(text) }
    var result = String.UnicodeScalarView()
    var isEscaped = false
    for character in text.unicodeScalars {
      if !isEscaped, character == "\\" {
        isEscaped = true
        continue
      }
      // A backslash is an escape only before ASCII punctuation.
      let properties = character.properties
      let isSign = (0x21...0x7E).contains(character.value) && !properties.isAlphabetic && properties.numericType == nil
      if isEscaped, !isSign { result.append("\\") }
      result.append(character)
      isEscaped = false
    }
    if isEscaped { result.append("\\") }
    return String(result)
  }

  fileprivate static func escaped(_ text: String, _ signs: Set<Unicode.Scalar> = escapedSigns) -> String {
    var result = String.UnicodeScalarView()
    for character in text.unicodeScalars {
      if signs.contains(character) { result.append("\\") }
      result.append(character)
    }
    return String(result)
  }

  /// A text in one line.
  fileprivate static func line(_ text: String) -> String {
    text.utf8.contains { $0 == 0x0A || $0 == 0x0D } ? text.words.joined(separator: " ") : text
  }

  /// A title in one line, whose words are no attributes.
  fileprivate static func title(_ title: String) -> String {
    let line = line(title)
    let hasAttributes = line.splitAtBlanks.contains(where: isAttribute)
    return escaped(line, hasAttributes ? escapedSigns.union(["@", "!", ":"]) : escapedSigns)
  }

  // MARK: Writing

  struct Writer: ExportWriter {
    private(set) var loss = ExportLoss()
    private var lists: ArraySlice<String> = []
    private var list: String?
    private var isFirst = true

    mutating func begin(_ head: ExportHead) throws -> [UInt8] {
      lists = head.lists.map(\.name)[...]
      return []
    }

    mutating func write(_ row: Item, previous: String?) throws -> [UInt8] {
      let item = try ImportedItem(row, previous: previous)
      let headings = list?.isIdentical(to: row.list) == true ? "" : headings(upTo: row.list)
      list = row.list
      let lines = lines(item)
      loss.add(item, readAs: try? MarkdownFormat.read(Array((heading(row.list) + lines).utf8)).items.first)
      return Array((headings + lines).utf8)
    }

    mutating func end() throws -> [UInt8] { Array(headings(upTo: nil).utf8) }

    /// The headings of the next lists, including those without items.
    private mutating func headings(upTo name: String?) -> String {
      var text = ""
      while let next = lists.first {
        lists.removeFirst()
        let isLast = name.map { next.isIdentical(to: $0) } ?? false
        text += (isFirst ? "" : "\n") + heading(next) + (isLast ? "\n" : "")
        isFirst = false
        if isLast { break }
      }
      return text
    }

    private func heading(_ name: String) -> String { "# \(MarkdownFormat.escaped(MarkdownFormat.line(name)))\n" }

    private func lines(_ item: ImportedItem) -> String {
      var words = ["- [\(item.done ? "x" : " ")]", MarkdownFormat.title(item.title)]
      words += item.tags.filter(\.isWord).map { "@\(MarkdownFormat.escaped($0))" }
      if let priority = item.priority { words.append("!\(priority.name)") }
      words += item.pairs
      let notes = item.notes.flatMap { note in
        note.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
          .map { "  > \(MarkdownFormat.escaped(String($0)))" }
      }
      // A backslash at its end keeps a line apart from the next one.
      return words.joined(separator: " ") + "\n" + (notes.isEmpty ? "" : notes.joined(separator: "\\\n") + "\n")
    }
  }
}

/// Reads a checklist line by line: which lines are headings, items and notes, and what belongs to no item.
private struct MarkdownReader {
  private(set) var batch = ImportBatch()
  private var list: String?
  private var names: Set<TextKey> = []
  private var fence: Fence?
  /// The place of the item whose notes the next lines may be.
  private var owner: Int?

  mutating func read(_ line: Substring, _ index: Int) {
    let text = line.trimmed
    if let open = fence {
      if open.isClosed(by: text) { fence = nil } else if !text.isEmpty { batch.leftOut.append(index + 1) }
      return
    }
    fence = Fence(opening: text)
    if fence != nil || text.isEmpty { return }
    if let name = MarkdownFormat.heading(line) {
      owner = nil
      list = name
      if names.insert(TextKey(listName: name)).inserted { batch.lists.append(ImportedList(name: name)) }
    } else if let (isDone, rest) = MarkdownFormat.box(text), !rest.isEmpty {
      owner = batch.items.count
      var item = MarkdownFormat.item(rest, isDone: isDone)
      item.list = list
      item.place = TextPlace(line: index + 1, column: line.prefix(while: \.isWhitespace).count + 1)
      batch.items.append(item)
    } else if isRule(text) {
      owner = nil
    } else if let owner, let note = MarkdownFormat.note(line), MarkdownFormat.box(text) == nil {
      batch.items[owner].notes.append(note)
    } else {
      owner = nil
      batch.leftOut.append(index + 1)
    }
  }

  /// The opening line of a code block. The block ends with at least as many of the same characters.
  private struct Fence {
    private let sign: Unicode.Scalar
    private let count: Int

    /// Nil for a line that opens no block. Backticks must not follow backticks, or it is inline code.
    init?(opening line: Substring) {
      guard let sign = line.unicodeScalars.first, sign == "`" || sign == "~" else { return nil }
      self.sign = sign
      count = line.unicodeScalars.prefix { $0 == sign }.count
      if count < 3 || (sign == "`" && line.unicodeScalars.dropFirst(count).contains("`")) { return nil }
    }

    func isClosed(by line: Substring) -> Bool {
      let signs = line.unicodeScalars
      return signs.count >= count && signs.allSatisfy { $0 == sign }
    }
  }

  /// Whether text is a horizontal rule, which has no content.
  private func isRule(_ text: Substring) -> Bool {
    guard let sign = text.first, "-*_=".contains(sign) else { return false }
    return text.count >= 3 && text.allSatisfy { $0 == sign || $0 == " " }
  }
}
