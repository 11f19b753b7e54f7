import SQLiteStore
import TodoCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The first byte says in which zone; the rest are arguments, with 0xFF between them.
enum TokenCheck {
  static func run(_ bytes: [UInt8]) throws {
    var source = ByteSource(bytes)
    let zone = LocalZone.fixed(seconds: [0, 20_700, -39_600, 50_400][source.number(below: 4)])
    let moment = Moment(Instant(iso: "2031-01-31T23:30:00Z") ?? Instant(seconds: 0), in: zone)
    var arguments: [String] = []
    while !source.isAtEnd { arguments.append(source.text()) }
    for argument in arguments {
      for use in [Token.Use.attributes, .filter] { try checkToken(argument, use, moment) }
      try checkDates(argument, moment)
      try checkSelection(argument, moment)
      try checkJSON(argument)
    }
    try checkAttributes(arguments, moment)
    try checkFilter(arguments, moment)
  }

  private static func checkToken(_ argument: String, _ use: Token.Use, _ moment: Moment) throws {
    let token: Token
    do {
      guard let found = try Token.parse(argument, as: use, at: moment) else { return }
      token = found
    } catch {
      guard case .usage = error else { throw Finding("\(argument.debugDescription) failed with \(error)") }
      return
    }
    let written =
      switch token {
      case .list(let name): (use == .attributes && name.contains(where: \.isWhitespace) ? "list:" : "+") + name
      case .tag(let name): "@\(name)"
      case .tags(let names): "tag:\(names.isEmpty ? "none" : names.joined(separator: ","))"
      case .note(let text): "note:\(text)"
      case .priority(let priority): "!\(priority?.name ?? "none")"
      case .due(let due): "due:\(due?.description ?? "none")"
      case .dueBefore(let due): "due:before:\(due)"
      case .dueAfter(let due): "due:after:\(due)"
      case .every(let every): "every:\(every?.rawValue ?? "none")"
      case .wait(let date): "wait:\(date?.description ?? "none")"
      case .waitAny: "wait:any"
      }
    let again = try must("parsing \(written) again") { try Token.parse(written, as: use, at: moment) }
    try expect(again == token, "\(argument.debugDescription) is \(token), but \(written) is \(again as Any)")
  }

  private static func checkDates(_ text: String, _ moment: Moment) throws {
    if let day = CalendarDay(iso: text) { try expectSame(day.description, text, "a day as text") }
    if let instant = Instant(iso: text) { try expectSame(instant.description, text, "an instant as text") }
    if let time = WallTime(iso: text) { try expectSame(WallTime(iso: time.description), time, "a time as text") }
    if let due = DueExpression.parse(text, at: moment) {
      try expectSame(Due(iso: due.description), due, "a due date as text")
      try checkRhythms(due, moment)
    }
    // The dates of the store, which have fractions.
    if let date = try? Date(databaseValue: .text(text)) {
      let again = try must("reading \(date.databaseValue) again") { try Date(databaseValue: date.databaseValue) }
      try expectSame(again, date, "\(text.debugDescription) as a date is \(date.databaseValue)")
    }
  }

  private static func checkRhythms(_ due: Due, _ moment: Moment) throws {
    let day = due.day(in: moment.zone)
    try expect((1...7).contains(day.weekday), "weekday \(day.weekday)")
    try expect(day.endOfMonth >= day, "the month of \(day) ends before it")
    for every in Recurrence.allCases {
      guard let next = every.next(after: day, anchor: day, today: moment.today) else { continue }
      try expect(next > day && next >= moment.today, "every \(every) after \(day) is \(next)")
    }
    guard case .instant(let instant) = due else { return }
    let wall = moment.zone.wallTime(at: instant)
    let back = moment.zone.instant(of: wall)
    // At the ends of the calendar there is no other moment.
    let isAtEnd = day.adding(days: 2) == day.adding(days: 1)
    let isAtStart = day.adding(days: -2) == day.adding(days: -1)
    try expect(back == instant || isAtEnd || isAtStart, "\(instant) is \(wall), which is \(back)")
  }

  private static func checkSelection(_ argument: String, _ moment: Moment) throws {
    do {
      _ = try Selection(arguments: [argument], at: moment)
    } catch {
      switch error {
      case .usage, .noSuchItem: break
      default: throw Finding("\(argument.debugDescription) as a selection failed with \(error)")
      }
    }
  }

  private static func checkJSON(_ text: String) throws {
    guard let value = try? JSONValue.parse(text) else { return }
    let again = try must("reading \(value.text) again") { try JSONValue.parse(value.text) }
    try expect(again == value, "\(text) is \(value.text) and then \(again.text)")
    try expectSame(again.text, value.text, "JSON written again")
  }

  private static func checkAttributes(_ arguments: [String], _ moment: Moment) throws {
    let said: Attributes
    do {
      said = try Attributes(arguments: arguments, at: moment)
    } catch {
      guard case .usage = error else { throw Finding("\(arguments) failed with \(error)") }
      return
    }
    // Words stay words when they are said as text.
    let literal = try must("literal") { try Attributes(arguments: [], literal: said.words, at: moment) }
    try expectSame(literal.words, said.words, "words as text")
    _ = ItemEdit(said)
    _ = try? ItemDraft(said).check()
  }

  /// A database in which there is something, which is only read.
  private static let store = Result { () throws(TodoError) in
    let moment = Moment(Instant(iso: "2031-01-31T23:30:00Z") ?? Instant(seconds: 0), in: .fixed(seconds: 0))
    let store = try TodoStore.inMemory { moment }
    var milk = ItemDraft(title: "Milk & 100% \"butter\"", list: "Errands", tags: ["shop"], priority: .high)
    milk.notes = ["skimmed * milk", "AND NOT"]
    _ = try store.add([milk, ItemDraft(title: "牛乳を買う", due: .day(moment.today), every: .month)])
    return store
  }

  private static func checkFilter(_ arguments: [String], _ moment: Moment) throws {
    let store = try store.get()
    var filter = Filter(status: .any)
    do {
      filter = try Filter(arguments: arguments, status: .any, at: moment)
    } catch {
      switch error {
      case .usage, .noSuchItem: break
      default: throw Finding("the filter \(arguments) failed with \(error)")
      }
    }
    _ = try must("the filter \(arguments)") { try store.items(Selection(filter: filter)) }
    // As words to search for, each finds what its letters are in.
    for word in arguments where !word.isEmpty {
      let text = try must("text") { try Filter(arguments: [], text: [word], status: .any, at: moment) }
      _ = try must("searching \(word.debugDescription)") { try store.items(Selection(filter: text)) }
    }
  }
}
