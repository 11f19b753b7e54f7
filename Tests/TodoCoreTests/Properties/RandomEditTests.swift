import DataSourcesTestSupport
import FixtureSupport
import Foundation
import TestSupport
import Testing
import TodoCore

/// Exported files with a random edit, as people and programs make them by mistake. `SEED=n` repeats the case that failed.
///
/// An import may refuse such a file, or name what it does not read. If it does neither, everything that the file says is
/// in the database afterwards, and the edit has changed nothing else.
@Suite struct RandomEditTests {
  // MARK: Files

  private static let titles = [
    "Buy milk", "Call mum", "Pay *rent*, [now]", "read due:tomorrow", "2 eggs", "see #4", "a \"b\" c", "x ray", "=1+1",
    "write to @alice", "50% off", "semi; colon, comma",
  ]

  /// An item such as people have.
  private func item(_ items: inout RandomItems, _ index: Int) -> ImportedItem {
    var item = ImportedItem(title: items.pick(Self.titles) + " n\(index)")
    item.uuid = items.uuid()
    item.list = items.pick(["Home", "Home", "Work", "two words"])
    item.created = items.instant()
    if items.once(in: 2) { item.tags = items.pick([["shop"], ["shop", "car"], ["two words"]]) }
    item.priority = items.pick([nil, nil, .high, .low])
    item.due = items.pick([nil, .day(items.day()), .instant(items.instant())])
    if item.due != nil, items.once(in: 2) { item.every = items.pick([.day, .month]) }
    if items.once(in: 2) { item.notes = items.pick([["one note"], ["ask first", "then buy"], ["a\nb"]]) }
    if items.once(in: 3) {
      item.done = true
      item.completed = items.instant()
    }
    if items.once(in: 6) { item.started = items.instant() }
    item.archived = items.once(in: 8)
    if items.once(in: 4) { item.extra["wait"] = .string(items.pick(["soon", "next week", "7"])) }
    return item
  }

  // MARK: Edits

  private enum Edit: CaseIterable {
    case deleteSign, insertSign, replaceSign, deletePart, swapWords, deleteWord, repeatWord, recaseWord
    case deleteLine, repeatLine, swapLines, joinLines, breakLine, indentLine, cutEnd
  }

  /// Splits by code points, since CR LF is one character.
  private func split(_ text: String, _ separator: Unicode.Scalar) -> [String] {
    text.unicodeScalars.split(separator: separator, omittingEmptySubsequences: false).map { String($0) }
  }

  private static let signs = Array(" \t,;'\"@+!:#-*>\\%[]{}()=|.x07aZ\n".unicodeScalars)

  /// The file after an edit; nil if there is nothing to edit so.
  private func edited(_ file: String, _ edit: Edit, _ items: inout RandomItems) -> String? {
    var signs = Array(file.unicodeScalars)
    var lines = split(file, "\n")
    let line = items.below(lines.count)
    var words = split(lines[line], " ")
    let place = items.below(signs.count)
    let word = items.below(words.count)
    func text() -> String {
      var view = String.UnicodeScalarView()
      view.append(contentsOf: signs)
      return String(view)
    }
    func withWords() -> String {
      lines[line] = words.joined(separator: " ")
      return lines.joined(separator: "\n")
    }
    switch edit {
    case .deleteSign:
      signs.remove(at: place)
      return text()
    case .insertSign:
      signs.insert(items.pick(Self.signs), at: place)
      return text()
    case .replaceSign:
      signs[place] = items.pick(Self.signs)
      return text()
    case .deletePart:
      let end = min(signs.count, place + 1 + items.below(12))
      if signs[place..<end].contains("\n") { return nil }
      signs.removeSubrange(place..<end)
      return text()
    case .swapWords:
      if word + 1 >= words.count { return nil }
      words.swapAt(word, word + 1)
      return withWords()
    case .deleteWord:
      words.remove(at: word)
      return withWords()
    case .repeatWord:
      words.insert(words[word], at: word)
      return withWords()
    case .recaseWord:
      words[word] = items.pick([words[word].uppercased(), words[word].lowercased()])
      return withWords()
    case .deleteLine: lines.remove(at: line)
    case .repeatLine: lines.insert(lines[line], at: line)
    case .swapLines:
      if line + 1 >= lines.count { return nil }
      lines.swapAt(line, line + 1)
    case .joinLines:
      if line + 1 >= lines.count { return nil }
      lines[line] += items.pick(["", " "]) + lines.remove(at: line + 1)
    case .breakLine:
      if words.count < 2 || word == 0 { return nil }
      lines[line] = words[..<word].joined(separator: " ")
      lines.insert(words[word...].joined(separator: " "), at: line + 1)
    case .indentLine: lines[line] = items.pick([" ", "  ", "    ", "\t"]) + lines[line]
    case .cutEnd: return String(file.unicodeScalars.prefix(place))
    }
    return lines.joined(separator: "\n")
  }

  private struct Trial {
    let format: TransferFormat
    let edit: Edit
    let file: String
    /// The file after the edit.
    let text: String

    var hasNewLine: Bool { text.count(where: \.isNewline) > file.count(where: \.isNewline) }
  }

  // MARK: Comparing

  /// The fields of items by UUID, each as text by its name.
  private typealias Fields = [String: [String: String]]

  /// The beginnings of words that need not be there later. Text beside a title or a list counts more than our words, a
  /// number that is taken is replaced, the days of a todo.txt line count more than our words for the times, and another
  /// due date has another day and starts the recurrence again.
  private static let ignored = [
    "todo-title:", "todo-list:", "todo-id:", "todo-anchor:", "todo-due-day:", "todo-created:", "todo-completed:",
    "todoNotes", "todoAnchor", "todoDueDay", ":",
  ]

  /// How often a file has each word, without the signs that formats add, and without regard to case.
  private func words(_ file: String, _ format: TransferFormat) -> [String: Int] {
    var counts: [String: Int] = [:]
    let separators: Set<Unicode.Scalar> = [",", ";", "\"", "{", "}", "[", "]", "(", ")"]
    let isLines = format == .todotxt || format == .markdown
    for word in file.unicodeScalars.split(whereSeparator: {
      $0.properties.isWhitespace || !isLines && separators.contains($0)
    }) {
      var word = String(word)
      for prefix in ["todo-tag:", "todo-note:"] where word.hasPrefix(prefix) { word.removeFirst(prefix.count) }
      if Self.ignored.contains(where: word.hasPrefix) { continue }
      let text = (word.removingPercentEncoding ?? word).lowercased().filter { $0.isLetter || $0.isNumber }
      if !text.isEmpty { counts[text, default: 0] += 1 }
    }
    return counts
  }

  private func fields(_ store: TodoStore) throws -> Fields {
    var result: Fields = [:]
    for item in try TransferFormat.json.read(store.exported(as: .json), at: store.moment).items {
      result[item.uuid ?? ""] = [
        "title": item.title, "list": item.list ?? "", "tags": "\(item.tags)",
        "priority": item.priority?.name ?? "", "due": item.due?.description ?? "",
        "every": item.every?.rawValue ?? "", "done": "\(item.done) \(item.completed?.description ?? "")",
        "created": item.created?.description ?? "", "started": item.started?.description ?? "",
        "notes": item.notes.joined(separator: "\n\n"), "archived": "\(item.archived)",
        "extra": JSONValue.object(item.extra).text,
      ]
    }
    return result
  }

  /// What is wrong after a file was imported without a word; nil if everything is as the file says.
  private func fault(_ store: TodoStore, _ trial: Trial, _ before: Fields, _ after: Fields) throws -> String? {
    let (format, edit, text) = (trial.format, trial.edit, trial.text)
    var there: [String: Int] = [:]
    let exported = String(decoding: try store.exported(as: format), as: UTF8.self)
    let fields = after.values.flatMap(\.values).joined(separator: " ")
    for part in [words(exported, format), words(fields, .todotxt), words(fields, .json)] {
      there.merge(part, uniquingKeysWith: max)
    }
    // The first line of a table names its fields. Without values, a name means nothing.
    var said = format == .csv ? split(text, "\n").dropFirst().joined(separator: "\n") : text
    // The number of an item that has a UUID.
    if format == .csv { said = said.replacing(/(?m)^[0-9]+,/, with: "") }
    // An empty field, and those of a task whose due date was removed.
    if format == .taskwarrior {
      said = said.replacing(/"[a-z]+":""/, with: "").replacing(/"todo(Due|DueDay|Anchor)":"[^"]*"/, with: "")
    }
    let isRepeated = edit == .repeatWord || edit == .repeatLine
    let lost = words(said, format).filter { (isRepeated ? 1 : $0.value) > there[$0.key] ?? 0 }
    if !lost.isEmpty { return "the file says \(lost.keys.sorted()), but the database does not" }

    var changed: [String: [String]] = [:]
    for (uuid, fields) in before {
      let names = fields.keys.filter { after[uuid]?[$0] != fields[$0] }
      if !names.isEmpty { changed[uuid] = names.sorted() }
    }
    // Headings, and the first line of a table, are for several items. Notes that are moved are those of others.
    let moved: Set<[String]> = format == .markdown ? [["list"], ["notes"], ["list", "notes"]] : []
    let isHeader = format == .csv && edit != .swapLines && Set(changed.values) == [["extra"]]
    if changed.count > 1, !Set(changed.values).isSubset(of: moved), !isHeader {
      return "several items have changed: \(changed)"
    }
    let isSign = edit == .deleteSign || edit == .insertSign || edit == .replaceSign
    if isSign, !trial.hasNewLine, let names = changed.values.first(where: { $0.count > 2 }) {
      return "one sign has changed \(names)"
    }

    let marks: [TransferFormat: String] = [.json: "\"uuid\":\"", .taskwarrior: "\"uuid\":\"", .csv: ""]
    let isTable = format == .csv && !text.hasPrefix("id,uuid,")
    let isWhole = !isTable && before.keys.allSatisfy { text.contains((marks[format] ?? "todo-uuid:") + $0) }
    if after.count > before.count, isWhole, edit != .repeatLine, !trial.hasNewLine { return "an item is new" }
    return nil
  }

  @Test func `an edited file is imported as it says, refused, or named`() throws {
    let clock = TestClock("2031-01-01T12:00:00Z", .fixed(seconds: 0))
    var tried: [String: Int] = [:]
    var store = try TodoStore.inMemory { clock.moment }
    for seed in Seeds.all(400, of: "random edits") {
      if seed % 20 == 0 { store = try TodoStore.inMemory { clock.moment } }
      var items = RandomItems(seed: seed &+ 13_000_031)
      var batch = ImportBatch()
      for index in 0..<(2 + items.below(2)) { batch.items.append(item(&items, index)) }
      _ = try store.importItems(batch)
      let before = try fields(store)
      let format = items.pick(TransferFormat.allCases)
      let edit = items.pick(Edit.allCases)
      let file = String(decoding: try store.exported(as: format), as: UTF8.self)
      if let text = edited(file, edit, &items), !text.utf8.elementsEqual(file.utf8) {
        let trial = Trial(format: format, edit: edit, file: file, text: text)
        let what = "SEED=\(seed) \(format) \(edit)\n\(difference(file, text))"
        do {
          let read = try format.read(Array(text.utf8), at: clock.moment)
          var options = ImportOptions()
          options.isUpdating = true
          let result = try store.importItems(read, options)
          let isNamed = !read.warnings.isEmpty || !read.leftOut.isEmpty || !result.warnings.isEmpty
          if !isNamed, let fault = try fault(store, trial, before, fields(store)) {
            Issue.record("\(what)\n\(fault)")
          }
          tried[isNamed ? "named" : "imported", default: 0] += 1
          if result.change?.didChange == true { _ = try store.undo() }
        } catch is TodoError {
          tried["refused", default: 0] += 1
        }
        let rest = try fields(store)
        try #require(rest == before, "\(what)")
      }
      _ = try store.undo()
    }
    if Seeds.repeated == nil { #expect(tried.values.allSatisfy { $0 > 40 } && tried.count == 3, "\(tried)") }
  }

  /// The lines that differ.
  private func difference(_ file: String, _ text: String) -> String {
    let (old, new) = (split(file, "\n"), split(text, "\n"))
    let start = zip(old, new).prefix { $0 == $1 }.count
    let end = min(
      zip(old.reversed(), new.reversed()).prefix { $0 == $1 }.count, old.count - start, new.count - start)
    return old[start..<(old.count - end)].map { "- \($0)\n" }.joined()
      + new[start..<(new.count - end)].map { "+ \($0)\n" }.joined()
  }
}
