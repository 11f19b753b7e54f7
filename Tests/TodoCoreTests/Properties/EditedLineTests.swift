import DataSourcesTestSupport
import TestSupport
import Testing
import TodoCore

/// Lines of an export in which another program has edited the text. `SEED=n` repeats the case that failed.
@Suite struct EditedLineTests {
  private struct Edit {
    let what: String
    let line: [String]
    /// The title that the edited line says.
    let title: String
    /// Whether the mark was set or removed.
    var isMarked = false
  }

  /// Splits by code points: in a line, a blank before a combining mark separates words.
  private func split(_ text: String, _ separator: (Unicode.Scalar) -> Bool) -> [String] {
    text.unicodeScalars.split(omittingEmptySubsequences: false, whereSeparator: separator).map { String($0) }
  }

  /// The bytes of a text in which some are written like %41.
  private func decoded(_ text: Substring.UTF8View) -> [UInt8] {
    var result: [UInt8] = []
    var rest = text
    while let byte = rest.popFirst() {
      let digits = byte == UInt8(ascii: "%") ? UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) : nil
      result.append(digits ?? byte)
      if digits != nil { rest = rest.dropFirst(2) }
    }
    return result
  }

  private func trimmed(_ text: String) -> String {
    var scalars = text.unicodeScalars[...]
    while scalars.first?.properties.isWhitespace == true { scalars.removeFirst() }
    while scalars.last?.properties.isWhitespace == true { scalars.removeLast() }
    return String(scalars)
  }

  /// Sets or removes the mark of a line.
  private func marked(_ line: [String], _ title: String, _ format: TransferFormat) -> Edit {
    var edited = line
    switch (format, line.first) {
    case (.markdown, _):
      edited.replaceSubrange(1...(line[1] == "[x]" ? 1 : 2), with: line[1] == "[x]" ? ["[", "]"] : ["[x]"])
    case (_, "x"): edited.removeFirst()
    default: edited.insert("x", at: 0)
    }
    return Edit(what: "marked", line: edited, title: title, isMarked: true)
  }

  /// A random edit of a line; nil if the line has no text that could be edited so.
  private func edit(
    _ line: [String], of title: String, _ format: TransferFormat, _ items: inout RandomItems
  ) -> Edit? {
    let exact = line.firstIndex { $0.hasPrefix("todo-title:") && decoded($0.utf8.dropFirst(11)) == Array(title.utf8) }
    let words = split(title) { $0.properties.isWhitespace }.filter { !$0.isEmpty }
    // At the beginning of a file it is a mark, and no text.
    if words.first?.unicodeScalars.first == "\u{FEFF}" { return nil }
    if items.once(in: 4) {
      return marked(line, title, format)
    }
    if items.once(in: 4) {
      // Behind the title: our words are the last ones.
      let first = exact ?? line.lastIndex { $0.hasPrefix("todo-id:") } ?? line.count
      var edited = line
      edited.insert("zq", at: format == .markdown ? items.pick(Array(first + 1...line.count)) : line.count)
      return Edit(what: "added behind", line: edited, title: title + " zq")
    }
    guard let exact else {
      // The words of the title as they are in the line.
      let pieces = split(title) { $0 == " " }
      let start = format == .markdown ? line.firstIndex { $0.hasSuffix("]") } : line.firstIndex { $0.hasPrefix("+") }
      guard let start else { return nil }
      var (edited, said) = (line, pieces)
      if pieces.count > 1, items.once(in: 3) {
        let index = items.below(pieces.count)
        edited.remove(at: start + 1 + index)
        said.remove(at: index)
        let title = said.joined(separator: " ")
        // An empty piece at an end is no text.
        return title.utf8.elementsEqual(trimmed(title).utf8) && !title.isEmpty
          ? Edit(what: "removed", line: edited, title: title) : nil
      }
      let index = items.below(pieces.count + 1)
      edited.insert("zq", at: start + 1 + index)
      said.insert("zq", at: index)
      return Edit(what: "inserted", line: edited, title: said.joined(separator: " "))
    }
    // Only our word has the title; in todo.txt also if the words before it are those of a mark, a priority or a day.
    let first = words.first ?? ""
    let isHead = format == .todotxt && (first == "x" || first.hasPrefix("(") || CalendarDay(iso: first) != nil)
    let isAlone =
      isHead || exact < words.count
      || zip(line[(exact - words.count)...], words).contains { word, own in
        word.filter { $0 != "\\" } != own.filter { $0 != "\\" }
      }
    let start = isAlone ? exact : exact - words.count
    var (edited, said) = (line, isAlone ? [] : words)
    switch items.below(3) {
    case 0 where !said.isEmpty:
      // Words that mean something anywhere in a line mean it there too.
      if words.contains(where: { $0.contains { "@+!:\\x".contains($0) } }) { return nil }
      edited.removeSubrange(start..<exact)
      return Edit(what: "moved", line: edited + line[start..<exact], title: title)
    case 1 where said.count > 1:
      let index = 1 + items.below(said.count - 1)
      edited.remove(at: start + index)
      said.remove(at: index)
      return Edit(what: "removed", line: edited, title: said.joined(separator: " "))
    default:
      let index = items.below(said.count + 1)
      edited.insert("zq", at: start + index)
      said.insert("zq", at: index)
      // Text beside a title that is never written as text is added.
      let isAdded = words.contains { $0.hasPrefix("todo-title:") } || isHead
      return Edit(what: "inserted", line: edited, title: isAdded ? "zq \(title)" : said.joined(separator: " "))
    }
  }

  /// An item's title, and everything else of all items, perhaps with the other mark.
  private func content(
    _ store: TodoStore, _ uuid: String?, isMarked: Bool = false
  ) throws -> (title: String, rest: [[UInt8]]) {
    let batch = try TransferFormat.json.read(store.exported(as: .json), at: store.moment)
    var title = ""
    let rest = batch.items.map { item in
      var item = item
      if item.uuid == uuid { (title, item.title) = (item.title, "") }
      if item.uuid == uuid, isMarked { (item.done, item.completed) = (!item.done, nil) }
      item.place = nil
      item.absent = []
      let extra = JSONValue.object(item.extra).text
      item.extra = JSONObject()
      return Array("\(item) \(extra)".utf8)
    }
    return (title, rest)
  }

  @Test func `an edit of an exported line changes the title, and nothing else`() throws {
    let clock = TestClock("2031-01-01T12:00:00Z", .fixed(seconds: 0))
    var tried: Set<String> = []
    var store = try TodoStore.inMemory { clock.moment }
    for seed in Seeds.all(120, of: "edited lines", perSoak: 0.2) {
      if seed % 10 == 0 { store = try TodoStore.inMemory { clock.moment } }
      var items = RandomItems(seed: seed &+ 11_000_027)
      var item = items.item(clock.moment.zone)
      let uuid = items.uuid()
      item.uuid = uuid
      // Words that a line can't show exactly.
      if items.once(in: 3) {
        item.title =
          items.pick(["Pay", "*"]) + items.pick(["\n", "  "]) + items.pick(["rent", "@now", "due:2031-01-01", "+x"])
        item.title += items.pick(["\t", " \r"]) + items.pick(["a", "every:day", "todo-id:3"])
      }
      var batch = ImportBatch()
      batch.items = [item]
      _ = try store.importItems(batch)
      for format in [TransferFormat.todotxt, .markdown] {
        let before = try content(store, uuid)
        let marked = try content(store, uuid, isMarked: true).rest
        var lines = split(String(decoding: try store.exported(as: format), as: UTF8.self)) { $0 == "\n" }
        let index = try #require(lines.firstIndex { $0.contains("todo-uuid:\(uuid)") })
        let words = split(lines[index]) { $0 == " " }
        guard let edit = edit(words, of: before.title, format, &items) else { continue }
        tried.insert("\(format) \(edit.what)")
        lines[index] = edit.line.joined(separator: " ")
        var options = ImportOptions()
        options.isUpdating = true
        _ = try store.importItems(format.read(Array(lines.joined(separator: "\n").utf8), at: clock.moment), options)
        let after = try content(store, uuid)
        let what = "SEED=\(seed) \(format) \(edit.what): \(words) \(edit.line) \(after.title.debugDescription)"
        try #require(after.title.utf8.elementsEqual(edit.title.utf8), "\(what)")
        let expected = edit.isMarked ? marked : before.rest
        try #require(after.rest == expected, "\(what)")
      }
    }
    if Seeds.repeated == nil { #expect(tried.count == 10, "\(tried)") }
  }
}
