/// A table: a header row that has a `title` column, and one row for each item.
///
/// A cell that a spreadsheet would treat as a formula gets a ' before it, which is removed when it is read. Columns
/// with other names are kept.
enum CSVFormat {
  private static let columns = [
    "id", "uuid", "title", "list", "tags", "priority", "due", "every", "done", "created", "completed", "started",
    "notes",
    "archived", "due_day", "anchor", "previous", "extra",
  ]

  static func read(_ bytes: [UInt8]) throws(TodoError) -> ImportBatch {
    var batch = ImportBatch()
    var parser = try CSVParser(bytes)
    try parser.findSeparator { $0.contains { $0.text.trimmed.lowercased() == "title" } }
    guard let header = try parser.header() else {
      throw .badData("line 1, column 1: a header row with \"title\" is missing")
    }
    let names = header.map { $0.text.trimmed.lowercased() }
    guard names.contains("title") else {
      throw .badData("\(header[0].place): the header row has no column \"title\"")
    }
    let headers = try headers(header, names)
    for (cell, name) in zip(header, names) where !columns.contains(name) {
      guard let meant = Suggestion.nearest(to: name, among: columns), !names.contains(meant) else { continue }
      batch.warn(
        at: cell.place, "the column \"\(cell.text)\" is kept as another program's field; did you mean \"\(meant)\"?")
    }
    let absent = absent(names)
    while let row = try parser.row() {
      // Spreadsheets end a table with rows of empty cells, which may have more cells than there are columns.
      if row.allSatisfy({ $0.text.allSatisfy(\.isWhitespace) }) { continue }
      if row.count == 1, TextLines.beginsConflict(row[0].text) { try TextLines(bytes).checkConflicts() }
      if row.dropFirst(names.count).contains(where: { !$0.text.isEmpty }) {
        throw .badData("\(row[names.count].place): the row has more cells than the header row")
      }
      var item = ImportedItem(title: "")
      item.place = row[0].place
      // A spreadsheet may leave out empty cells at the end of a row. An item that is replaced keeps what they would say.
      item.absent = row.count < names.count ? Self.absent(Array(names.prefix(row.count))) : absent
      for (index, cell) in row.prefix(names.count).enumerated() {
        if !cell.text.isEmpty {
          try take(cell, names[index], headers[index], &item)
        } else if !columns.contains(names[index]), !headers[index].isEmpty {
          item.emptied.append(headers[index])
        }
      }
      if item.lacksTitle { throw .badData("\(row[0].place): the title is missing") }
      if row.count < names.count, item.uuid != nil, parser.isCutOff {
        throw .badData(
          "\(row[row.count - 1].place): the file ends in this cell, before \"\(names[row.count])\"; if it was cut off, get the "
            + "whole file, or else end the line")
      }
      func cell(_ name: String) -> CSVParser.Cell? {
        names.firstIndex(of: name).flatMap { $0 < row.count && !row[$0].text.isEmpty ? row[$0] : nil }
      }
      if item.completed != nil {
        // A time of completion makes an item done.
        item.absent.remove(.done)
        if !item.done, cell("done") != nil {
          throw .badData(
            "\((cell("completed") ?? row[0]).place): \"completed\" is a moment, but \"done\" is false; change one of the two"
          )
        }
        item.done = true
      }
      if item.anchor != nil, item.every == nil, !item.absent.contains(.every) {
        throw .badData(
          "\((cell("anchor") ?? row[0]).place): \"anchor\" is the start of a recurrence, but \"every\" is missing; add it, or leave "
            + "this out")
      }
      batch.items.append(item)
    }
    return batch
  }

  /// The fields without a column.
  private static func absent(_ names: [String]) -> Set<ImportedItem.Field> {
    let columns: KeyValuePairs<ImportedItem.Field, String> = [
      .tags: "tags", .priority: "priority", .due: "due", .dueDay: "due_day", .every: "every", .anchor: "anchor",
      .done: "done", .created: "created", .completed: "completed", .started: "started", .notes: "notes",
      .archived: "archived", .extra: "extra",
    ]
    return Set(columns.filter { !names.contains($0.value) }.map(\.key))
  }

  /// The names under which cells of unknown columns are kept: a repeated name gets a number.
  private static func headers(_ header: [CSVParser.Cell], _ names: [String]) throws(TodoError) -> [String] {
    var seen: Set<TextKey> = []
    var headers: [String] = []
    for (cell, name) in zip(header, names) {
      let text = String(cell.text.trimmed)
      var unique = text
      var number = 2
      while !text.isEmpty, !seen.insert(TextKey(unique)).inserted {
        unique = "\(text) \(number)"
        number += 1
      }
      if columns.contains(name), names.count(where: { $0 == name }) > 1, unique != text || text != name {
        throw .badData("\(cell.place): the header row has the column \"\(name)\" twice; rename one of the two")
      }
      headers.append(unique)
    }
    return headers
  }

  private static func take(
    _ cell: CSVParser.Cell, _ name: String, _ header: String, _ item: inout ImportedItem
  ) throws(TodoError) {
    let text = cell.text
    func wrong(_ what: String) -> TodoError { .badData("\(cell.place): \"\(name)\" is \(what), not \"\(text)\"") }
    func value<T>(_ value: T?, _ what: String) throws(TodoError) -> T {
      guard let value else { throw wrong(what) }
      return value
    }
    let word = String(text[...].trimmed)
    switch name {
    case "title": item.title = text
    case "list": item.list = text
    case "id": item.id = try value(Int64(word).flatMap { $0 > 0 ? $0 : nil }, "a whole number from 1 on")
    case "uuid": item.uuid = try value(UUIDText.canonical(word), "a UUID")
    case "tags":
      item.tags = try value(
        texts(text) { $0.words.map(String.init) },
        "words separated by spaces, or a JSON array of texts")
    case "notes":
      item.notes = try value(
        texts(text, lines), "one note in each line, or a JSON array of texts")
    case "priority": item.priority = try value(Priority(name: word), "high, medium or low")
    case "due": item.due = try value(Due(iso: word), "a date such as 2031-01-02 or 2031-01-02T14:00:00Z")
    case "every": item.every = try value(Recurrence(rawValue: word), "day, week, month or year")
    case "done": item.done = try value(bool(word), "true or false")
    case "archived": item.archived = try value(bool(word), "true or false")
    case "created": item.created = try value(Instant(iso: word), "a moment such as 2031-01-02T14:00:00Z")
    case "completed": item.completed = try value(Instant(iso: word), "a moment such as 2031-01-02T14:00:00Z")
    case "started": item.started = try value(Instant(iso: word), "a moment such as 2031-01-02T14:00:00Z")
    case "due_day": item.dueDay = try value(CalendarDay(iso: word), "a day such as 2031-01-02")
    case "anchor":
      let what = "a day such as 2031-01-02 or a time such as 2031-01-02T09:00:00[Europe/Berlin]"
      item.anchor = try value(ImportedItem.anchor(word), what)
    case "previous": item.previous = try value(UUIDText.canonical(word), "a UUID")
    case "extra":
      // If it is no JSON object, it is another program's column with that name.
      guard let object = (try? JSONValue.parse(text))?.object else {
        if text == "{" || text.hasPrefix("{\"") { throw wrong("a JSON object with the fields of other programs") }
        return try keep(.string(text), header, cell, &item)
      }
      for member in object.members { try keep(member.value, member.key, cell, &item) }
    default:
      if header.isEmpty {
        throw .badData("\(cell.place): the column of this cell has no name; name it, or empty the cell")
      }
      try keep(.string(text), header, cell, &item)
    }
  }

  /// Keeps a field of another program. There can be one with each name.
  private static func keep(
    _ value: JSONValue, _ name: String, _ cell: CSVParser.Cell, _ item: inout ImportedItem
  ) throws(TodoError) {
    if let other = item.extra[name], other != value {
      throw .badData(
        "\(cell.place): \"\(name)\" is in the column \"extra\" and beside it, or twice in it, with another value; leave one of the two "
          + "out")
    }
    item.extra[name] = value
  }

  private static func bool(_ word: String) -> Bool? {
    switch word.lowercased() {
    case "true", "yes", "x", "1": true
    case "false", "no", "0": false
    default: nil
    }
  }

  /// Several texts in a cell: a JSON array if they could not be separated otherwise, else separated as is usual.
  private static func texts(_ text: String, _ split: (String) -> [String]) -> [String]? {
    guard text.first == "[", let values = (try? JSONValue.parse(text))?.array else {
      // It was meant as an array, and somebody has mistyped it.
      return text.hasPrefix("[\"") ? nil : split(text)
    }
    let texts = values.compactMap(\.string)
    return texts.count == values.count ? texts : nil
  }

  /// The lines of a cell. They end with LF, CR LF or CR.
  fileprivate static func lines(_ text: String) -> [String] {
    text.split { $0 == "\n" || $0 == "\r\n" || $0 == "\r" }.map(String.init)
  }

  // MARK: Writing

  struct Writer: ExportWriter {
    mutating func begin(_ head: ExportHead) throws -> [UInt8] {
      Array((CSVFormat.columns.joined(separator: ",") + "\r\n").utf8)
    }

    mutating func write(_ item: Item, previous: String?) throws -> [UInt8] {
      let item = try ImportedItem(item, previous: previous)
      func joined(_ texts: [String], _ separator: String, _ split: (String) -> [String]) -> String {
        let text = texts.joined(separator: separator)
        let isPlain = text.first != "[" && split(text) == texts && !text.utf8.contains(13)
        return isPlain ? text : TextArray.json(texts)
      }
      let cells: [String] = [
        item.id.map { String($0) } ?? "", item.uuid ?? "", item.title, item.list ?? "",
        joined(item.tags, " ") { $0.words.map(String.init) },
        item.priority?.name ?? "", item.due?.description ?? "", item.every?.rawValue ?? "",
        item.done ? "true" : "false",
        item.created?.description ?? "", item.completed?.description ?? "", item.started?.description ?? "",
        joined(item.notes, "\n", CSVFormat.lines),
        item.archived ? "true" : "false",
        item.dueDay?.description ?? "", item.anchor ?? "", item.previous ?? "",
        item.extra.isEmpty ? "" : JSONValue.object(item.extra).text,
      ]
      return Array((cells.map(CSVFormat.cell).joined(separator: ",") + "\r\n").utf8)
    }

    mutating func end() throws -> [UInt8] { [] }
  }

  /// The first bytes that make a spreadsheet calculate, and the quote that prevents it.
  fileprivate static let dangerous = Set("=+-@\t\r'".utf8)

  private static func cell(_ text: String) -> String {
    var text = text
    if let first = text.utf8.first, dangerous.contains(first) { text = "'" + text }
    let needsQuotes =
      text.utf8.contains { $0 == 0x22 || $0 == 0x2C || $0 == 0x3B || $0 == 0x0A || $0 == 0x0D }
      || text.utf8.first == 0x20 || text.utf8.last == 0x20
    guard needsQuotes else { return text }
    // By code points: readers see a quote with an accent as a quote.
    var quoted = "\"".unicodeScalars
    for scalar in text.unicodeScalars {
      if scalar == "\"" { quoted.append(scalar) }
      quoted.append(scalar)
    }
    return String(quoted) + "\""
  }
}

/// Reads rows of cells as in RFC 4180, and knows the position of each cell.
struct CSVParser {
  struct Cell {
    var text: String
    var place: TextPlace
  }

  private let bytes: [UInt8]
  /// The separator named in a first line, which is not part of the table.
  private var isSeparatorSaid = false
  private var separator: UInt8 = 0x2C
  private var index = 0
  private var line = 1
  private var column = 1

  /// Whether the file has ended without the end of a line.
  var isCutOff: Bool { index >= bytes.count && bytes.last.map { $0 != 0x0A && $0 != 0x0D } ?? false }

  init(_ file: [UInt8]) throws(TodoError) {
    bytes = file.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(file[3...]) : file
    guard String(validating: bytes, as: UTF8.self) != nil else { throw TextLines.notText(bytes[...]) }
    // Some programs name the separator in a line of its own.
    let first = bytes.prefix { $0 != 0x0A && $0 != 0x0D }
    guard first.count == 5, let sign = first.last,
      String(decoding: first.dropLast(), as: UTF8.self).asciiLowercased == "sep="
    else { return }
    separator = sign
    isSeparatorSaid = true
    while index < first.count { advance() }
    if index < bytes.count, bytes[index] == 0x0D { advance() }
    if index < bytes.count, bytes[index] == 0x0A, line == 1 { advance() }
  }

  /// Finds the separator if no line names it: the first one with which the header is as expected.
  ///
  /// If the comma is the decimal separator, spreadsheets use semicolons. Any separator may be part of a cell.
  mutating func findSeparator(_ isExpected: ([Cell]) -> Bool) throws(TodoError) {
    if isSeparatorSaid { return }
    for sign: UInt8 in [0x2C, 0x3B, 0x09] {
      var other = self
      other.separator = sign
      // With a wrong separator a quote may be in the wrong place.
      guard let header = try? other.header(), isExpected(header) else { continue }
      separator = sign
      return
    }
  }

  /// The first row that isn't empty; nil if not found.
  mutating func header() throws(TodoError) -> [Cell]? {
    while let row = try row() {
      if !row.allSatisfy({ $0.text.allSatisfy(\.isWhitespace) }) { return row }
    }
    return nil
  }

  /// The next row; nil at the end.
  mutating func row() throws(TodoError) -> [Cell]? {
    if index >= bytes.count { return nil }
    var cells: [Cell] = []
    while true {
      cells.append(try cell())
      guard index < bytes.count else { return cells }
      let byte = bytes[index]
      advance()
      if byte == separator { continue }
      if byte == 0x0D, index < bytes.count, bytes[index] == 0x0A { advance() }
      return cells
    }
  }

  private mutating func cell() throws(TodoError) -> Cell {
    let place = TextPlace(line: line, column: column)
    var content: [UInt8] = []
    if index < bytes.count, bytes[index] == 0x22 {
      advance()
      while true {
        guard index < bytes.count else { throw .badData("\(place): the cell has no closing quote") }
        let byte = bytes[index]
        advance()
        if byte != 0x22 {
          content.append(byte)
        } else if index < bytes.count, bytes[index] == 0x22 {
          content.append(byte)
          advance()
        } else {
          break
        }
      }
      if index < bytes.count, bytes[index] != separator, bytes[index] != 0x0A, bytes[index] != 0x0D {
        throw .badData("\(TextPlace(line: line, column: column)): something follows the closing quote of the cell")
      }
    } else {
      while index < bytes.count, bytes[index] != separator, bytes[index] != 0x0A, bytes[index] != 0x0D {
        content.append(bytes[index])
        advance()
      }
      if content.first == 0x20, content.first(where: { $0 != 0x20 }) == 0x22 {
        throw .badData("\(place): a blank precedes the opening quote of the cell; remove it")
      }
    }
    if content.count > 1, content[0] == UInt8(ascii: "'"), CSVFormat.dangerous.contains(content[1]) {
      content.removeFirst()
    }
    return Cell(text: String(decoding: content, as: UTF8.self), place: place)
  }

  private mutating func advance() {
    let isLineEnd =
      bytes[index] == 0x0A || (bytes[index] == 0x0D && (index + 1 >= bytes.count || bytes[index + 1] != 0x0A))
    if isLineEnd {
      line += 1
      column = 1
    } else if bytes[index] & 0xC0 != 0x80 {
      column += 1
    }
    index += 1
  }
}
