/// A table: a header row that has a `title` column, and one row for each item.
///
/// A cell that a spreadsheet would treat as a formula gets a ' before it, which is removed when it is read. Columns
/// with other names are kept.
enum CSVFormat {
  private static let columns = [
    "title", "list", "tags", "priority", "due", "every", "anchor", "done", "created", "completed", "started", "notes",
    "archived", "wait",
  ]
  /// The columns for programs that keep items apart.
  private static let identifiers = ["id", "uuid"]

  static func read(_ bytes: [UInt8]) throws(TodoError) -> ImportBatch {
    var batch = ImportBatch()
    var parser = try CSVParser(bytes)
    try parser.findSeparator { $0.contains { $0.text.trimmed.lowercased() == "title" } }
    guard let header = try parser.header() else {
      throw .badData("line 1, column 1: a header row with \"title\" is missing")
    }
    let names = try names(header)
    guard names.contains("title") else {
      throw .badData("\(header[0].place): the header row has no column \"title\"")
    }
    for (cell, name) in zip(header, names) where !isKnown(name) {
      guard let meant = Suggestion.nearest(to: name.lowercased(), among: columns + identifiers), !names.contains(meant)
      else { continue }
      batch.warn(
        at: cell.place, "the column \"\(name)\" is kept as another program's field; did you mean \"\(meant)\"?")
    }
    while let row = try parser.row() {
      // Spreadsheets end a table with rows of empty cells, which may have more cells than there are columns.
      if row.allSatisfy({ $0.text.words.isEmpty }) { continue }
      batch.items.append(try item(row, names))
    }
    return batch
  }

  private static func isKnown(_ name: String) -> Bool { columns.contains(name) || identifiers.contains(name) }

  /// The names of the columns: ours in lower case, others as they are.
  private static func names(_ header: [CSVParser.Cell]) throws(TodoError) -> [String] {
    var seen: Set<TextKey> = []
    var names: [String] = []
    for cell in header {
      let text = String(cell.text.trimmed)
      let name = isKnown(text.lowercased()) ? text.lowercased() : text
      if !name.isEmpty, !seen.insert(TextKey(name)).inserted {
        throw .badData("\(cell.place): the header row has the column \"\(name)\" twice; rename one of the two")
      }
      names.append(name)
    }
    return names
  }

  private static func item(_ row: [CSVParser.Cell], _ names: [String]) throws(TodoError) -> ImportedItem {
    if let cell = row.dropFirst(names.count).first(where: { !$0.text.isEmpty }) {
      throw .badData("\(cell.place): the row has more cells than the header row")
    }
    var item = ImportedItem(title: "")
    item.place = row[0].place
    // A spreadsheet may leave out empty cells at the end of a row. An item that is replaced keeps what they would say.
    let known = names.prefix(row.count).filter(isKnown)
    item.absent = Set(ImportedItem.Field.allCases.filter { !known.contains($0.rawValue) })
    for (cell, name) in zip(row, names) {
      if !cell.text.isEmpty { try take(cell, name, &item) } else if !isKnown(name) { item.emptied.append(name) }
    }
    if item.completed != nil {
      // A time of completion makes an item done, unless the file says that it is not.
      let isDoneSaid = zip(row, names).contains { $1 == "done" && !$0.text.isEmpty }
      if !isDoneSaid { item.done = true }
      item.absent.remove(.done)
    }
    return item
  }

  private static func take(
    _ cell: CSVParser.Cell, _ name: String, _ item: inout ImportedItem
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
    case "tags": item.tags = text.words.map(String.init)
    case "notes": item.notes = lines(text)
    case "priority": item.priority = try value(Priority(name: word), "high, medium or low")
    case "due": item.due = try value(Due(iso: word), "a date such as 2031-01-02 or 2031-01-02T14:00:00Z")
    case "every": item.every = try value(Recurrence(rawValue: word), "day, week, month, year or such as 2weeks")
    case "wait": item.wait = try value(Due(iso: word), "a date such as 2031-01-02 or 2031-01-02T14:00:00Z")
    case "done": item.done = try value(bool(word), "true or false")
    case "archived": item.archived = try value(bool(word), "true or false")
    case "created": item.created = try value(Instant(iso: word), "a moment such as 2031-01-02T14:00:00Z")
    case "completed": item.completed = try value(Instant(iso: word), "a moment such as 2031-01-02T14:00:00Z")
    case "started": item.started = try value(Instant(iso: word), "a moment such as 2031-01-02T14:00:00Z")
    case "anchor":
      let what = "a day such as 2031-01-02 or a time such as 2031-01-02T09:00:00[Europe/Berlin]"
      item.anchor = try value(ImportedItem.anchor(word), what)
    default:
      if name.isEmpty {
        throw .badData("\(cell.place): the column of this cell has no name; name it, or empty the cell")
      }
      // No other column has the name, which need not be looked for.
      item.extra.append(name, .string(text), at: cell.place)
    }
  }

  private static func bool(_ word: String) -> Bool? {
    switch word.lowercased() {
    case "true", "yes", "x", "1": true
    case "false", "no", "0": false
    default: nil
    }
  }

  /// The lines of a cell. They end with LF, CR LF or CR.
  fileprivate static func lines(_ text: String) -> [String] {
    text.split { $0 == "\n" || $0 == "\r\n" || $0 == "\r" }.map(String.init)
  }

  // MARK: Writing

  struct Writer: ExportWriter {
    let ids: Bool
    private(set) var loss = ExportLoss()

    mutating func begin(_ head: ExportHead) throws -> [UInt8] {
      Array((((ids ? identifiers : []) + columns).joined(separator: ",") + "\r\n").utf8)
    }

    mutating func write(_ item: Item, previous: String?) throws -> [UInt8] {
      let item = try ImportedItem(item, previous: previous)
      let (tags, notes) = (item.tags.joined(separator: " "), item.notes.joined(separator: "\n"))
      let cells: [String] = [
        item.title, item.list ?? "", tags, item.priority?.name ?? "",
        item.due?.description ?? "", item.every?.rawValue ?? "", item.anchor ?? "", item.done ? "true" : "false",
        item.created?.description ?? "", item.completed?.description ?? "", item.started?.description ?? "",
        notes, item.archived ? "true" : "false", item.wait?.description ?? "",
      ]
      let identity = ids ? [item.id.map { String($0) } ?? "", item.uuid ?? ""] : []
      var held = item
      (held.tags, held.notes, held.extra) = (tags.words.map(String.init), CSVFormat.lines(notes), JSONObject())
      loss.add(item, readAs: held)
      return Array(((identity + cells).map(CSVFormat.cell).joined(separator: ",") + "\r\n").utf8)
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
