/// Reads a checklist line by line: which lines are headings, items and notes, and what belongs to no item.
struct MarkdownReader {
  private var batch = ImportBatch()
  private var list: String?
  private var fence: Fence?
  /// Whether the line before is in a comment that ends below it.
  private var isInComment = false
  private var names: Set<TextKey> = []
  /// The items that the next line may belong to, each below the one before.
  private var open: [OpenItem] = []
  /// Whether there was a blank line.
  private var isApart = false
  /// The last lines that belong to no item, and where they end. They are a heading if they are underlined; no lines are
  /// kept of what can't be one.
  private var paragraph: (end: Int, lines: [Substring]) = (-1, [])
  /// The lines that were perhaps part of an item's line, by the item's index.
  private var continuations: [Int: Continuation] = [:]
  /// The notes with a word that identifies another item, unless they are part of an item's line.
  private var strays: [Stray] = []

  private struct OpenItem {
    let index: Int
    /// How far its line is indented.
    let indent: Int
    /// The list of the heading above it.
    let list: String?
    let isDone: Bool
    /// What follows the box.
    let text: Substring
    /// Whether no later line can be a part of it.
    var isWhole = false
  }

  private struct Stray {
    let item: Int
    let note: Int
    let place: TextPlace
    let word: Substring
  }

  private struct Continuation {
    let item: OpenItem
    /// How many notes the item has in its own line.
    let noteCount: Int
    var lines: [Substring] = []
    /// How many lines there are up to the last one with words of ours, which is where the item's line ends.
    var count = 0

    /// Whether a note is a part of the item's line.
    func holds(note: Int) -> Bool { note >= noteCount && note < noteCount + count }

    mutating func append(_ line: Substring) {
      lines.append(line)
      if line.words.contains(where: { MetaWords.isOurs($0) && MarkdownFormat.syntax.isMeta($0) }) {
        count = lines.count
      }
    }
  }

  mutating func read(_ line: Substring, _ index: Int) throws(TodoError) {
    let text = line.trimmed
    if let open = fence {
      if open.isClosed(by: text) { fence = nil } else if !text.isEmpty { batch.leftOut.append(index + 1) }
      return
    }
    if isInComment || text.hasPrefix("<!--") {
      readComments(in: text)
      if !text.isEmpty { batch.leftOut.append(index + 1) }
      return
    }
    fence = Fence(opening: text)
    if fence != nil { return }
    if text.isEmpty {
      isApart = true
    } else if let name = MarkdownFormat.heading(line) {
      begin(name, line, index)
    } else if !paragraph.lines.isEmpty, paragraph.end == index, isUnderline(text) {
      batch.leftOut.removeLast(paragraph.lines.count)
      begin(MarkdownFormat.unescaped(paragraph.lines.joined(separator: " ")), line, index)
    } else if let (isDone, rest) = MarkdownFormat.box(text) {
      closeItems(beside: line)
      if rest.isEmpty { batch.leftOut.append(index + 1) } else { try add(rest, isDone, line, index) }
    } else if isLine(text) {
      closeItems(beside: line)
    } else if let note = MarkdownFormat.note(line, isApart: isApart), addNote(note, line, index) {
      isApart = false
    } else {
      leaveOut(line, index)
    }
  }

  mutating func finish() throws(TodoError) -> ImportBatch {
    for (index, rest) in continuations where rest.count > 0 { join(rest, to: index) }
    for index in batch.items.indices {
      var item = batch.items[index]
      try batch.leaveOutWords(&item, "is not ticked")
      batch.items[index] = item
    }
    for stray in strays where continuations[stray.item]?.holds(note: stray.note) != true {
      warnOfStray(stray.word, in: "a note", at: stray.place)
    }
    return batch
  }

  /// Notes whether the line after this one is in a comment, of which a line may have several.
  private mutating func readComments(in line: Substring) {
    var rest = line
    while let mark = rest.firstRange(of: isInComment ? "-->" : "<!--") {
      rest = rest[mark.upperBound...]
      isInComment.toggle()
    }
  }

  /// Warns of a word that belongs to an item whose line was broken.
  private mutating func warnOfStray(_ word: Substring, in what: String, at place: TextPlace) {
    batch.warn(at: place, "\(what) has \(word), which is a word of an item; if its line was broken, join it")
  }

  private mutating func begin(_ name: String, _ line: Substring, _ index: Int) {
    // A name with such a word follows in a word of ours.
    if line.words.last?.hasPrefix(MetaWords.listPrefix) != true, let word = name.words.first(where: MetaWords.isUUID) {
      warnOfStray(word, in: "a heading", at: TextPlace(line: index + 1, column: 1))
    }
    list = name
    open = []
    paragraph.lines = []
    if names.insert(TextKey(listName: name)).inserted { batch.lists.append(ImportedList(name: name)) }
  }

  /// Ends the items that a line, which is no note, is not a part of.
  private mutating func closeItems(beside line: Substring) {
    let indent = indent(of: line)
    open.removeAll { $0.indent >= indent }
    for index in open.indices { open[index].isWhole = true }
  }

  /// Counts a line that belongs to no item.
  mutating func leaveOut(_ line: Substring, _ index: Int) {
    open = []
    batch.leftOut.append(index + 1)
    // Text behind what is no paragraph continues it.
    let isContinued = paragraph.end == index
    if !isContinued { paragraph.lines = [] }
    if isParagraph(line), !isContinued || !paragraph.lines.isEmpty {
      paragraph.lines.append(line.trimmed)
    } else {
      paragraph.lines = []
    }
    paragraph.end = index + 1
  }

  private mutating func add(_ text: Substring, _ isDone: Bool, _ line: Substring, _ index: Int) throws(TodoError) {
    guard var item = MarkdownFormat.item(text, isDone: isDone), !item.lacksTitle else {
      throw .badData("\(TextPlace(line: index + 1, column: line.count)): a box without a title behind it")
    }
    if item.list == nil { item.list = list }
    item.place = TextPlace(line: index + 1, column: line.prefix(while: \.isWhitespace).count + 1)
    item.keepTimesNotSaid()
    open.append(OpenItem(index: batch.items.count, indent: indent(of: line), list: list, isDone: isDone, text: text))
    isApart = false
    batch.items.append(item)
  }

  /// Adds a note to the item above it; returns false if it belongs to no item.
  private mutating func addNote(_ note: String, _ line: Substring, _ index: Int) -> Bool {
    if open.isEmpty { return false }
    let text = line.trimmed
    let indent = indent(of: line)
    if let owner = open.lastIndex(where: { $0.indent < indent }) {
      if owner + 1 < open.count { warnOfIndent(of: open[open.count - 1], notes: open[owner], index) }
      open.removeSubrange((owner + 1)...)
    }
    let last = open.count - 1
    open[last].isWhole = open[last].isWhole || text.first == ">" || isApart
    let item = open[last]
    if !item.isWhole {
      let count = batch.items[item.index].notes.count
      continuations[item.index, default: Continuation(item: item, noteCount: count)].append(text)
    }
    if let word = note.words.first(where: MetaWords.isUUID) {
      let place = TextPlace(line: index + 1, column: 1)
      strays.append(Stray(item: item.index, note: batch.items[item.index].notes.count, place: place, word: word))
    }
    batch.items[item.index].notes.append(note)
    return true
  }

  /// Warns if somebody has indented an item of an export, but not the note below it.
  private mutating func warnOfIndent(of item: OpenItem, notes owner: OpenItem, _ index: Int) {
    let (above, owner) = (batch.items[item.index], batch.items[owner.index])
    guard above.uuid != nil, above.place?.line == index else { return }
    batch.warn(
      at: TextPlace(line: index + 1, column: 1),
      "this note is one of \"\(owner.title)\", because it is not indented more than \"\(above.title)\"")
  }

  /// Reads an item again whose line a program has wrapped.
  private mutating func join(_ rest: Continuation, to index: Int) {
    let text = ([rest.item.text] + rest.lines.prefix(rest.count)).joined(separator: " ")
    guard var whole = MarkdownFormat.item(text[...], isDone: rest.item.isDone) else { return }
    let part = batch.items[index]
    whole.list = whole.list ?? rest.item.list
    whole.place = part.place
    whole.notes += part.notes.dropFirst(rest.noteCount + rest.count)
    whole.keepTimesNotSaid()
    batch.items[index] = whole
  }

  /// Leaves out the settings for programs at the beginning, between two lines of hyphens. Returns how many lines they are.
  mutating func leaveOutFrontMatter(of lines: [Substring]) -> Int {
    // Three hyphens are also a horizontal rule. Then there may be boxes below it, which settings don't have.
    guard lines.first?.trimmed == "---",
      let end = lines.dropFirst().firstIndex(where: { ["---", "..."].contains($0.trimmed) })
    else { return 0 }
    if lines[1..<end].contains(where: { MarkdownFormat.box($0.trimmed) != nil }) { return 0 }
    for index in 1..<end where !lines[index].trimmed.isEmpty { leaveOut(lines[index], index) }
    return end + 1
  }

  /// The width of the white space before a line.
  private func indent(of line: Substring) -> Int {
    line.unicodeScalars.prefix(while: \.properties.isWhitespace).reduce(0) { width, blank in
      blank == "\t" ? width / 4 * 4 + 4 : width + 1
    }
  }

  /// Whether text makes the line before it a heading.
  private func isUnderline(_ text: Substring) -> Bool {
    text.allSatisfy { $0 == "=" } || text.allSatisfy { $0 == "-" }
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

  /// Whether a line can be a heading: not code, a quote, a list item, a tag, a row of a table, or a link's target.
  private func isParagraph(_ line: Substring) -> Bool {
    let text = line.trimmed
    guard indent(of: line) < 4, let first = text.first, !">|<".contains(first), !text.contains("|") else {
      return false
    }
    if first == "[", text.contains("]:") { return false }
    return MarkdownFormat.contentOfListItem(text) == nil
  }

  /// Whether text is a horizontal rule, which has no content.
  private func isLine(_ text: Substring) -> Bool {
    guard let sign = text.first, "-*_=".contains(sign) else { return false }
    return text.count >= 3 && text.allSatisfy { $0 == sign || $0 == " " }
  }
}
