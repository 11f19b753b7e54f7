import DataSourcesTestSupport
import Foundation
import TestSupport
import TodoCore

/// Makes items of every kind that a file can hold.
struct RandomItems {
  var random: SeededGenerator

  init(seed: UInt64) { random = SeededGenerator(seed: seed &* 0x9E37_79B9 &+ 17) }

  mutating func below(_ count: Int) -> Int { Int.random(in: 0..<count, using: &random) }
  mutating func once(in count: Int) -> Bool { below(count) == 0 }
  mutating func pick<T>(_ values: [T]) -> T { values[below(values.count)] }

  private static let pieces = [
    "Milk", "caf\u{E9}", "cafe\u{301}", " ", "  ", "\n", "\r", "\r\n", "\t", "\u{0}", "```", "~~~", "```x```", "#",
    "# ",
    "> ", "- [ ] ", "* ", "1. ", "\"", "'", ",", ";", "=1+1", "+x", "@y", "!high", "due:2031-01-01", "\u{3000}",
    "%41", "%", "\\", "\\*", "*b*", "[l](x)", "<i>", "&amp;", "|", "x ", "(A) ", "2031-01-01 ", "牛乳",
    "👩‍👩‍👧", "\u{202E}", "\u{1B}[31m", "\u{85}", "\u{2028}", "\u{301}", "\u{FEFF}", "{", "}", "[", "null", "pri:A",
    "every:day", " uuid:10000000-0000-4000-8000-000000000005 ", "\u{7F}", "ß", "İ", "a", "b", "c",
  ]

  /// A text of some pieces, perhaps empty or of blanks only.
  mutating func text(_ most: Int = 4) -> String { (0..<below(most + 1)).map { _ in pick(Self.pieces) }.joined() }

  /// A text that holds more than white space, and no NUL where it is a name.
  mutating func name(isTitle: Bool = false) -> String {
    while true {
      let text = text()
      if !text.allSatisfy(\.isWhitespace), isTitle || !text.utf8.contains(0) { return text }
    }
  }

  private mutating func texts(_ most: Int, _ make: (inout Self) -> String) -> [String] {
    (0..<(once(in: 2) ? 0 : below(most + 1))).map { _ in make(&self) }
  }

  mutating func instant() -> Instant {
    once(in: 12)
      ? pick([Instant(seconds: .min), Instant(seconds: .max), Instant(seconds: 0)])
      : Instant(seconds: Int64(1_900_000_000 + below(400) * 43_200 + (once(in: 2) ? 0 : below(86_400))))
  }

  mutating func day() -> CalendarDay {
    once(in: 20) ? CalendarDay(number: once(in: 2) ? .min : .max) : CalendarDay(number: 22_000 + below(900))
  }

  static let names = [
    "title", "list", "done", "notes", "id", "uuid", "tags", "priority", "due", "every", "created", "completed",
    "started", "archived", "dueDay", "anchor", "previous", "extra", "description", "project", "status", "entry", "end",
    "start", "recur", "annotations", "wait", "depends", "parent", "imask", "todotxtPriority", "due_day", "own",
    "caf\u{E9}", "cafe\u{301}", "Title", "",
    "schema",
  ]

  mutating func value(_ depth: Int = 3) -> JSONValue {
    switch below(depth > 0 ? 9 : 6) {
    case 0: return .null
    case 1: return .bool(once(in: 2))
    case 2: return .number(pick(["0", "-1", "1.50", "1e400", "12345678901234567890", "7"]))
    case 3, 4: return .string(text())
    case 5:
      return .string(pick(["waiting", "weekly", "daily", "D", "H", "A", "20310101T000000Z", "2031-01-01", "none"]))
    case 6: return .array((0..<below(3)).map { _ in value(depth - 1) })
    case 7:
      let note = JSONObject([("description", .string(text())), ("entry", .string("20310101T000000Z"))])
      return .array([.object(note)])
    default: return .object(fields(depth - 1))
    }
  }

  mutating func fields(_ depth: Int = 3) -> JSONObject {
    var fields = JSONObject()
    for _ in 0..<(1 + below(4)) { fields[pick(Self.names)] = value(depth) }
    // A letter that only todo.txt has, beside other fields.
    if depth == 3, once(in: 20) { fields["todotxtPriority"] = .string(pick(["A", "D", "H", "Z", "z", "DD"])) }
    return fields
  }

  mutating func every() -> Recurrence? {
    let more = ["2weeks", "quarter", "weekday", "mon,thu", "month-end", "3days-after-done", "1month-after-done"]
    return pick(Recurrence.allCases + more.compactMap { Recurrence(rawValue: $0) })
  }

  /// An item, valid in all its fields.
  mutating func item(_ zone: LocalZone) -> ImportedItem {
    var item = ImportedItem(title: name(isTitle: true))
    if once(in: 4) { item.id = Int64(pick([1, 2, 3, 40, 9_999_999, 10_000_000, 1 << 52])) }
    if once(in: 3) { item.uuid = uuid() }
    if !once(in: 4) { item.list = once(in: 2) ? pick(["Home", "HOME", "caf\u{E9}", "cafe\u{301}", "Work"]) : name() }
    // Another program may have stored names of blanks.
    if item.uuid != nil, once(in: 12) { item.title = pick([" ", "  ", "\t", "\n \r", "\u{85}", "\u{2028}"]) }
    if item.uuid != nil, once(in: 12) { item.list = pick([" ", "  ", "\t", "\n \r", "\u{85}", "\u{2028}"]) }
    item.tags = texts(3) { $0.name() }
    item.notes = texts(3) { $0.text() }
    item.priority = pick([nil, nil, .high, .medium, .low])
    switch below(5) {
    case 0: item.due = .day(day())
    case 1: item.due = .instant(instant())
    case 2: item.due = .instant(zone.start(of: day()))
    default: break
    }
    item.every = once(in: 3) ? nil : every()
    if once(in: 4) { item.wait = once(in: 2) ? .day(day()) : .instant(instant()) }
    if item.every != nil, once(in: 3) {
      item.anchor = once(in: 2) ? day().description : WallTime(day: day(), secondOfDay: below(86_400)).description
      if item.anchor?.contains("T") == true {
        item.anchor? += pick([
          "", "[Europe/Berlin]", "[Etc/GMT+5]", "[+01:00]", "[-03:30]", "[+00:19:32]", "[No/Such_Zone-1]",
        ])
      }
    }
    if case .instant(let instant)? = item.due, once(in: 3) {
      item.dueDay = LocalZone.fixed(seconds: 0).day(of: instant).adding(days: below(3) - 1)
    }
    item.done = once(in: 3)
    item.archived = once(in: 6)
    if once(in: 2) { item.created = instant() }
    if item.done, once(in: 2) { item.completed = instant() }
    if once(in: 5) { item.started = instant() }
    if once(in: 3) { item.extra = fields() }
    return item
  }

  /// An item with what every format can say.
  mutating func plainItem(_ zone: LocalZone) -> ImportedItem {
    var item = ImportedItem(title: (0...below(3)).map { _ in pick(Self.words) }.joined(separator: " "))
    item.list = pick(Self.words)
    item.tags = Set(texts(3) { $0.pick(Self.words) }).sorted()
    item.priority = pick([nil, nil, .high, .medium, .low])
    item.due = pick([nil, .day(day()), .instant(zone.start(of: day()).adding(seconds: 32_400))])
    if item.due != nil {
      item.every = pick([nil, .day, .week, .month, .year, Recurrence("2weeks"), Recurrence("weekday")])
    }
    item.wait = pick([nil, nil, .day(day())])
    item.done = once(in: 3)
    item.created = instant()
    if item.done { item.completed = instant() }
    return item
  }

  private static let words = [
    "Milk", "caf\u{E9}", "cafe\u{301}", "#", "\"a\"", "'", ",", ";", "=1+1", "%41", "\\", "*b*", "[l](x)", "<i>",
    "&amp;", "|",
    "牛乳", "👩‍👩‍👧", "\u{202E}", "1.", "a:b", "a@b", "c++", "`x`", "\u{301}", "wow!", "-", "ß",
  ]

  mutating func uuid() -> String {
    let digits = (0..<3).map { _ in String(UInt16.random(in: .min ... .max, using: &random), radix: 16) }
      .map { String(repeating: "0", count: 4 - $0.count) + $0 }.joined()
    return "0f8fad5b-d9cb-469f-a165-\(digits)"
  }
}
