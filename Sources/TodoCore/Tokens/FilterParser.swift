/// A word of a filter, as typed.
public struct FilterWord: Hashable, Sendable {
  /// The word.
  public var text: String
  /// What it means if it is no filter.
  public var meaning: Meaning

  /// How a word is read.
  public enum Meaning: Hashable, Sendable {
    /// A filter, or else an error.
    case filter
    /// A filter, or else a word to search for.
    case filterOrText
    /// Always a word to search for.
    case text
  }

  /// Creates a word.
  public init(_ text: String, _ meaning: Meaning = .filter) {
    self.text = text
    self.meaning = meaning
  }
}

/// Returns the arguments of the saved filter with a name.
public typealias SavedFilters = @Sendable (String) throws(TodoError) -> [String]

/// For where no filters are saved.
public let noSavedFilters: SavedFilters = { name throws(TodoError) in
  throw .noSuchItem("there is no saved filter \":\(name)\"; `todo filter` shows those there are")
}

/// Reads a filter: `+Home or not ( @errand due:today )`.
///
/// Filters beside each other must all match, but of several lists, priorities, recurrences or dates one is enough: an
/// item has only one of each. `or` divides what is on its left from what is on its right.
struct FilterParser {
  private var words: ArraySlice<FilterWord>
  private let moment: Moment
  private let saved: SavedFilters
  /// How many brackets, `not` and saved filters this is inside of.
  private var depth = 0

  /// More words than anybody types, and fewer than SQLite can compile.
  private static let most = 300
  private static let deepest = 20

  /// The condition of the words; nil without words.
  static func parse(
    _ words: [FilterWord], at moment: Moment, _ saved: @escaping SavedFilters
  ) throws(TodoError) -> Filter.Condition? {
    try parse(words, moment, saved, depth: 0)
  }

  private static func parse(
    _ words: [FilterWord], _ moment: Moment, _ saved: @escaping SavedFilters, depth: Int
  ) throws(TodoError) -> Filter.Condition? {
    var open = 0
    let words = words.flatMap { divided($0, &open) }
    if words.isEmpty { return nil }
    if words.count > most { throw .usage("a filter has at most \(most) words, and this one has \(words.count)") }
    var parser = FilterParser(words: words[...], moment: moment, saved: saved, depth: depth)
    let condition = try parser.alternatives()
    if parser.words.isEmpty { return condition }
    throw .usage("a ) has no ( before it; put both in quotes, as in: '(' +Home or +Work ')' @errand")
  }

  /// The brackets at the ends of a word are words of their own, and a word that begins with one may hold a whole
  /// filter: "(+Home or +Work)". One that closes nothing is a part of the word: "+Home (old)" is a list.
  private static func divided(_ word: FilterWord, _ open: inout Int) -> [FilterWord] {
    guard word.meaning != .text else { return [word] }
    var words: [FilterWord] = []
    for part in word.text.first == "(" ? word.text.split(whereSeparator: \.isWhitespace) : [word.text[...]] {
      var part = part
      while part.first == "(" {
        part.removeFirst()
        words.append(FilterWord("("))
        open += 1
      }
      var closing = 0
      while part.last == ")", closing < open {
        part.removeLast()
        closing += 1
      }
      open -= closing
      if !part.isEmpty { words.append(FilterWord(String(part), word.meaning)) }
      words += Array(repeating: FilterWord(")"), count: closing)
    }
    return words
  }

  // MARK: Joining

  /// What is joined by `or`, up to the end or the closing bracket.
  private mutating func alternatives() throws(TodoError) -> Filter.Condition {
    var parts = [try group()]
    while operation == "or" {
      words.removeFirst()
      parts.append(try group())
    }
    return parts.count == 1 ? parts[0] : .any(parts)
  }

  /// Which filters are alternatives where they are beside each other.
  private enum Kind { case list, priority, every, date, completion, other }

  /// The filters beside each other.
  private mutating func group() throws(TodoError) -> Filter.Condition {
    var groups: [(kind: Kind, members: [Filter.Condition])] = []
    var text: [String] = []
    while !words.isEmpty, operation != "or", operation != ")" {
      let (condition, kind) = try term()
      if case .text(let words) = condition {
        text += words
      } else if kind != .other, let index = groups.firstIndex(where: { $0.kind == kind }) {
        groups[index].members.append(condition)
      } else {
        groups.append((kind, [condition]))
      }
    }
    var parts = groups.map { $0.members.count == 1 ? $0.members[0] : .any($0.members) }
    if !text.isEmpty { parts.append(.text(text)) }
    if parts.isEmpty {
      throw .usage("`or` and brackets need filters on both sides and inside, as in: +Home or '(' @errand due:today ')'")
    }
    return parts.count == 1 ? parts[0] : .all(parts)
  }

  /// The word that comes next if it joins filters, in lower case.
  private var operation: String? {
    guard let word = words.first, word.meaning != .text else { return nil }
    let lowercased = word.text.lowercased()
    return ["or", "not", "(", ")"].contains(lowercased) ? lowercased : nil
  }

  private mutating func term() throws(TodoError) -> (Filter.Condition, Kind) {
    let operation = operation
    guard let word = words.popFirst() else { return (.all([]), .other) }
    if operation != nil || word.text.first == ":" {
      depth += 1
      if depth > Self.deepest { throw .usage("the filter is nested more than \(Self.deepest) times; say it in fewer") }
    }
    defer { if operation != nil || word.text.first == ":" { depth -= 1 } }
    switch operation {
    case "not"?:
      if words.isEmpty || self.operation == "or" || self.operation == ")" {
        throw .usage("`not` needs a filter after it, as in: not @errand")
      }
      return (.not(try term().0), .other)
    case "("?:
      let inner = try alternatives()
      guard self.operation == ")" else {
        throw .usage("a ( has no ) after it; put both in quotes, as in: '(' +Home or +Work ')' @errand")
      }
      words.removeFirst()
      return (inner, .other)
    default: return try property(word)
    }
  }

  // MARK: Properties

  private func property(_ word: FilterWord) throws(TodoError) -> (Filter.Condition, Kind) {
    if word.meaning != .text {
      if word.text.first == ":", word.text.count > 1 {
        let words = try saved(String(word.text.dropFirst())).map { FilterWord($0) }
        return (try Self.parse(words, moment, saved, depth: depth) ?? .all([]), .other)
      }
      if word.text.hasPrefix("done:") {
        let date = "due:" + word.text.dropFirst("done:".count)
        guard case (.due(let after, let before), _)? = try token(date) else {
          throw .usage("\"\(word.text)\" is no filter; use done:today, done:this-week, done:DATE or --done")
        }
        return (.completed(after: after, before: before), .completion)
      }
      if word.text.hasPrefix("text:") {
        return (.text(word.text.dropFirst("text:".count).words.map(String.init)), .other)
      }
      if let found = try token(word.text) { return found }
    }
    if word.meaning == .filter {
      throw .usage(
        "\"\(word.text)\" is no filter; use +LIST, @TAG, pri:high, due:DATE, due:before:DATE, or text:WORD for a word of "
          + "the "
          + "title")
    }
    return (.text(word.text.words.map(String.init)), .other)
  }

  private func token(_ text: String) throws(TodoError) -> (Filter.Condition, Kind)? {
    if text.hasPrefix("due:"), let span = DueSpan(text.dropFirst("due:".count), at: moment) {
      return (.due(after: span.after.map { .day($0) }, before: span.before.map { .day($0) }), .date)
    }
    return switch try Token.parse(text, as: .filter, at: moment) {
    case .list(let name)?: (.list(name), .list)
    case .tag(let tag)?: (.tag(tag), .other)
    case .tags(let tags)?: (tags.count == 1 ? .tag(tags[0]) : .all(tags.map { .tag($0) }), .other)
    case .priority(let priority)?: (.priority(priority), .priority)
    case .every(let every)?: (.every(every), .every)
    case .due(nil)?: (.not(.due(after: nil, before: nil)), .date)
    case .due(let due?)?: (.due(due), .date)
    case .dueBefore(let due)?: (.due(after: nil, before: due), .other)
    case .dueAfter(let due)?: (.due(after: due, before: nil), .other)
    case .wait(let date)?: (.wait(.until(date)), .other)
    case .waitAny?: (.wait(.any), .other)
    case .note?, nil: nil
    }
  }
}

extension Filter.Condition {
  /// Due on a day, or at a moment.
  static func due(_ due: Due) -> Filter.Condition {
    switch due {
    case .day(let day):
      .due(
        after: day.number == CalendarDay.first ? nil : .day(day.adding(days: -1)),
        before: day.number == CalendarDay.last ? nil : .day(day.adding(days: 1)))
    case .instant(let instant):
      .due(after: .instant(instant.adding(seconds: -1)), before: .instant(instant.adding(seconds: 1)))
    }
  }
}

/// Several days that have a name: "any", "this week", "next-month".
struct DueSpan {
  /// The day before the first one; nil without a limit.
  var after: CalendarDay?
  /// The day after the last one.
  var before: CalendarDay?

  static let words = ["any"] + ["this", "next", "last"].flatMap { word in ["week", "month"].map { "\(word) \($0)" } }

  /// Nil if the text names no such days.
  init?(_ text: some StringProtocol, at moment: Moment) {
    let words = text.lowercased().split { $0 == "-" || $0 == "_" || $0.isWhitespace }
    if words == ["any"] { return }
    guard words.count == 2, let step = ["last": -1, "this": 0, "next": 1][words[0]] else { return nil }
    guard let unit = DateUnit(rawValue: String(words[1])), [.week, .month].contains(unit) else { return nil }
    let first = unit.day(step, after: unit.start(moment.today, moment.habits))
    after = first.adding(days: -1)
    before = unit.day(1, after: first)
  }
}
