import DataSourcesTestSupport
import FixtureSupport
import TestSupport
import Testing

@testable import TodoCore

@Suite struct FilterTests {
  // Wednesday, 1 January 2031, 23:30 in a zone two hours ahead of UTC.
  private let moment = Moment(Instant(iso: "2031-01-01T21:30:00Z")!, in: .fixed(seconds: 7200))

  private func condition(_ arguments: [String]) throws -> Filter.Condition {
    try Filter(arguments: arguments, at: moment) { name throws(TodoError) in
      switch name {
      case "shops": ["@a", "or", "@b"]
      case "loop": ["not", ":loop"]
      default: try noSavedFilters(name)
      }
    }.condition
  }

  @Test func `a filter is a small tree`() throws {
    let (a, b): (Filter.Condition, Filter.Condition) = (.tag("a"), .tag("b"))
    for (arguments, tree) in [
      (["@a", "@b"], .all([a, b])), (["@a", "or", "@b"], .any([a, b])),
      (["@a", "OR", "Not", "@b"], .any([a, .not(b)])),
      (["@a", "or", "@b", "+x"], .any([a, .all([b, .list("x")])])),
      (["(", "@a", "or", "@b", ")", "+x"], .all([.any([a, b]), .list("x")])),
      (["(@a or @b)", "+x"], .all([.any([a, b]), .list("x")])), (["not", "(@a", "@b)"], .not(.all([a, b]))),
      (["not", "not", "@a"], .not(.not(a))), (["((@a))"], a), (["+Home (old)"], .list("Home (old)")),
      (["(+old)", "+x)"], .all([.list("old"), .list("x)")])),
      (["+x", "@a", "+y"], .all([.any([.list("x"), .list("y")]), a])),
      (["pri:high", "priority:none"], .any([.priority(.high), .priority(nil)])),
      (["list:Two Words", "tag:a"], .all([.list("Two Words"), a])),
      (["not", "+x", "not", "+y"], .all([.not(.list("x")), .not(.list("y"))])),
      (["text:one two"], .text(["one", "two"])), ([":shops", "+x"], .all([.any([a, b]), .list("x")])),
      (["every:week", "every:none"], .any([.every(.week), .every(nil)])),
    ] as [([String], Filter.Condition)] {
      #expect(try condition(arguments) == tree, "\(arguments)")
    }
  }

  @Test(arguments: [
    (["milk"], "\"milk\" is no filter"), (["or"], "`or`"), (["@a", "or"], "`or`"), (["@a", "or", "or", "@b"], "`or`"),
    (["not"], "`not`"), (["not", "or", "@a"], "`not`"), (["("], "brackets"), (["(", ")"], "brackets"),
    (["(", "@a"], "no ) after it"), (["@a", ")"], "no ( before it"), ([":none"], "no saved filter \":none\""),
    ([":loop"], "more than 20 times"), (Array(repeating: "not", count: 100) + ["@a"], "more than 20 times"),
    (Array(repeating: "@a", count: 301), "at most 300"), (["due:this-wek"], "\"due:this week\""),
    (["due:after:tomorow"], "\"due:after:tomorrow\""), (["done:soon"], "due:soon"), (["done:none"], "done:today"),
    (["pri:hihg"], "\"pri:high\""),
  ]) func `a filter that makes no sense is one clear error`(arguments: [String], says: String) {
    #expect {
      try condition(arguments)
    } throws: { ($0 as? TodoError)?.message.contains(says) == true }
  }

  @Test(arguments: [
    (["due:none", "due:before:fri"], true), (["due:today", "due:before:today"], true), (["@a", "not", "@a"], true),
    (["due:after:thu", "due:before:fri"], true), (["due:after:wed", "due:before:fri"], true),
    (["due:after:today", "due:before:fri"], false), (["due:today", "due:tomorrow"], false),
    (["due:none", "due:today"], false), (["@a", "or", "not", "@a"], false),
    (["due:this-week", "due:after:next-week"], true), (["due:this-week", "due:after:thu"], false),
  ]) func `filters that exclude each other are found`(arguments: [String], exclude: Bool) throws {
    #expect(try Filter(arguments: arguments, at: moment).excludesItself == exclude)
  }

  /// Random filters, typed as people would, find what the same conditions find in Swift.
  @Test func `a filter finds the items for which it is true`() throws {
    let test = try TestStore(zone: .fixed(seconds: 7200))
    let leaves = [
      "+A", "+B", "@x", "@y", "!high", "!none", "due:today", "due:none", "due:any", "due:before:tomorrow",
      "due:after:2031-01-01T12:00", "every:day", "every:none", "text:milk", "done:today",
    ]
    for seed in Seeds.range(800) {
      var random = SeededGenerator(seed: seed)
      if seed % 40 == 0 {
        var words = ["+A", "@x", "@y", "!high", "every:day", "milk"].filter { _ in random.once(in: 2) } + ["title"]
        let due = [
          "due:2031-01-01", "due:2030-12-01", "due:2031-01-01T23:59", "due:2031-01-02T00:01", "due:2031-02-01",
        ]
        if words.contains("every:day") || random.once(in: 2) { words.append(random.pick(due)) }
        let item = try test.store.add(ItemDraft(Attributes(arguments: words, at: test.store.moment))).items[0]
        if random.once(in: 3) { _ = try test.store.done(Selection(item.id)) }
      }
      let arguments = typed(&random, depth: 3, leaves)
      let filter = try Filter(arguments: arguments, status: .any, at: test.store.moment)
      let all = try test.store.items(Selection(filter: Filter(status: .any)))
      #expect(
        try test.store.items(Selection(filter: filter)).map(\.id)
          == all.filter { isTrue(filter.condition, $0, test.store.moment) }.map(\.id),
        "\(arguments) \(Seeds.hint(seed))")
    }
  }

  private func typed(_ random: inout SeededGenerator, depth: Int, _ leaves: [String]) -> [String] {
    switch depth == 0 ? 0 : random.below(5) {
    case 1: typed(&random, depth: depth - 1, leaves) + ["or"] + typed(&random, depth: depth - 1, leaves)
    case 2: typed(&random, depth: depth - 1, leaves) + typed(&random, depth: depth - 1, leaves)
    case 3: ["not", "("] + typed(&random, depth: depth - 1, leaves) + [")"]
    case 4: ["not", random.pick(leaves)]
    default: [random.pick(leaves)]
    }
  }

  private func isTrue(_ condition: Filter.Condition, _ item: Item, _ moment: Moment) -> Bool {
    /// Seconds since 1970 of the first and the last moment of a day, or of a moment.
    func span(_ due: Due) -> ClosedRange<Int64> {
      switch due {
      case .day(let day): moment.zone.start(of: day).seconds...moment.zone.start(of: day.adding(days: 1)).seconds - 1
      case .instant(let instant): instant.seconds...instant.seconds
      }
    }
    func isBetween(_ due: Due, _ after: Due?, _ before: Due?) -> Bool {
      (after.map { span($0).upperBound < span(due).lowerBound } ?? true)
        && (before.map { span(due).upperBound < span($0).lowerBound } ?? true)
    }
    return switch condition {
    case .all(let parts): parts.allSatisfy { isTrue($0, item, moment) }
    case .any(let parts): parts.contains { isTrue($0, item, moment) }
    case .not(let part): !isTrue(part, item, moment)
    case .list(let name): item.list.lowercased() == name.lowercased()
    case .tag(let tag): item.tags.contains(tag)
    case .priority(let priority): item.priority == priority
    case .every(let every): item.every == every
    case .due(let after, let before): item.due.map { isBetween($0, after, before) } ?? false
    case .completed(let after, let before): item.completed.map { isBetween(.instant($0), after, before) } ?? false
    case .wait(.any): true
    case .wait(.until(let date)): item.wait == date
    case .text(let words): words.allSatisfy { item.title.contains($0) }
    }
  }
}
