import DataSourcesTestSupport
import FetchedResults
import Testing

/// Each rule of the table finds a fault that was planted for it.
@Suite struct DelegateFaultTests {
  typealias Event = DelegateEvent<Card>

  private static let update = Update(
    old: Snapshot<Card>("A: 1 0 2 3 | B: 4 5 | C: 6 | D: 7 | E: 8"),
    new: Snapshot<Card>("A: 3 1' 0 9 | N: 4 | B: 5' | D=Other: 7 | E: 8"))

  private static func path(_ section: Int, _ item: Int) -> ItemPath { ItemPath(section: section, item: item) }
  /// The delegate's calls for it, written out, so that an error in our code doesn't affect these tests.
  private var sound: [Event] {
    [
      .section(old[2], index: 2, .delete), .section(new[1], index: 1, .insert), .section(new[3], index: 3, .update),
      row(Card(4), (1, 0), .delete, nil), row(Card(2), (0, 2), .delete, nil), row(Card(9), nil, .insert, (0, 3)),
      row(Card(3), (0, 3), .move, (0, 0)), row(Card(1, 1), (0, 0), .update, (0, 1)),
      row(Card(5, 1), (1, 1), .update, (2, 0)),
    ]
  }

  private func rules(_ calls: [Event]) -> Set<String> {
    Set(TableSimulator.violations(of: calls, in: Self.update).map(\.rule))
  }

  @Test func `the correct calls contain one of each kind`() {
    #expect(Self.update.delegateEvents() == sound)
    #expect(rules(sound) == [])
  }

  /// The place of a call in the sound ones.
  private enum Call: Int {
    case sectionDelete, sectionInsert, sectionUpdate, lastDelete, firstDelete, insert, move, firstUpdate, lastUpdate
  }

  private func putting(_ event: Event, for call: Call) -> [Event] {
    var calls = sound
    calls[call.rawValue] = event
    return calls
  }

  private func leavingOut(_ call: Call) -> [Event] {
    var calls = sound
    calls.remove(at: call.rawValue)
    return calls
  }

  private func adding(_ event: Event, after call: Call) -> [Event] {
    var calls = sound
    calls.insert(event, at: call.rawValue + 1)
    return calls
  }

  private func row(
    _ card: Card, _ from: (Int, Int)?, _ type: FetchedResultsChangeType, _ to: (Int, Int)?
  ) -> Event {
    .object(card, at: from.map { Self.path($0.0, $0.1) }, type, newIndexPath: to.map { Self.path($0.0, $0.1) })
  }

  private var old: Snapshot<Card> { Self.update.old }
  private var new: Snapshot<Card> { Self.update.new }

  @Test func `sections do not move`() {
    #expect(rules(adding(.section(new[3], index: 3, .move), after: .sectionInsert)).contains("a section moves"))
  }

  @Test func `each kind of call has its own paths`() {
    let wrong = [
      putting(row(Card(2), (0, 2), .delete, (0, 2)), for: .firstDelete),
      putting(row(Card(2), nil, .delete, (0, 2)), for: .firstDelete),
      putting(row(Card(9), (0, 3), .insert, (0, 3)), for: .insert),
      putting(row(Card(9), (0, 3), .insert, nil), for: .insert),
      putting(row(Card(3), (0, 3), .move, nil), for: .move),
      putting(row(Card(1, 1), nil, .update, (0, 1)), for: .firstUpdate),
      putting(row(Card(1, 1), (0, 0), .update, nil), for: .firstUpdate),
    ]
    for calls in wrong { #expect(rules(calls).contains("the paths of another kind")) }
  }

  @Test func `two exchanged calls are noticed`() {
    // The two sections' kinds, the two deletions, and each kind with the next.
    for index in sound.indices.dropLast() {
      var calls = sound
      calls.swapAt(index, index + 1)
      #expect(rules(calls).contains("out of order"), "\(index)")
    }
  }

  @Test func `places must be in their lists`() {
    #expect(rules(putting(.section(old[2], index: 5, .delete), for: .sectionDelete)).contains("no such section before"))
    #expect(
      rules(putting(.section(new[3], index: -1, .update), for: .sectionUpdate)).contains("no such section before"))
    #expect(rules(putting(.section(new[1], index: 5, .insert), for: .sectionInsert)).contains("no such section after"))
    #expect(rules(putting(row(Card(2), (0, 4), .delete, nil), for: .firstDelete)).contains("no such row before"))
    #expect(rules(putting(row(Card(3), (5, 0), .move, (0, 0)), for: .move)).contains("no such row before"))
    #expect(rules(putting(row(Card(9), nil, .insert, (0, 4)), for: .insert)).contains("no such row after"))
    #expect(rules(putting(row(Card(3), (0, 3), .move, (0, -1)), for: .move)).contains("no such row after"))
    #expect(
      rules(putting(row(Card(1, 1), (0, 0), .update, (0, 7)), for: .firstUpdate)).contains("no such row after"))
  }

  @Test func `no place may be reported twice`() {
    #expect(
      rules(putting(.section(new[3], index: 2, .update), for: .sectionUpdate))
        .contains("a place twice among sections before"))
    #expect(
      rules(adding(.section(new[1], index: 1, .insert), after: .sectionInsert))
        .contains("a place twice among sections after"))
    #expect(
      rules(adding(row(Card(3), (0, 3), .delete, nil), after: .lastDelete)).contains("a place twice among rows before"))
    #expect(
      rules(putting(row(Card(1, 1), (0, 2), .update, (0, 1)), for: .firstUpdate))
        .contains("a place twice among rows before"))
    #expect(
      rules(putting(row(Card(9), nil, .insert, (0, 0)), for: .insert)).contains("a place twice among rows after"))
    #expect(
      rules(putting(row(Card(3), (0, 3), .move, (0, 1)), for: .move)).contains("a place twice among rows after"))
  }

  @Test func `rows of deleted, inserted or updated sections must not be reported`() {
    #expect(
      rules(adding(row(Card(6), (2, 0), .delete, nil), after: .sectionUpdate)).contains("a row of a section that goes"))
    #expect(
      rules(adding(row(Card(7), (3, 0), .delete, nil), after: .sectionUpdate))
        .contains("a row of a section that is updated"))
    #expect(
      rules(adding(row(Card(4), nil, .insert, (1, 0)), after: .insert)).contains("a row of a section that comes"))
    #expect(
      rules(adding(row(Card(7), nil, .insert, (3, 0)), after: .insert)).contains("a row of a section that is updated"))
    // Told as a move into the section that comes instead of as a deletion.
    var calls = leavingOut(.lastDelete)
    calls.insert(row(Card(4), (1, 0), .move, (1, 0)), at: Call.move.rawValue)
    #expect(rules(calls).contains("a row of a section that comes"))
  }

  @Test func `the item passed with a call must be the one at its place`() {
    #expect(
      rules(putting(.section(old[1], index: 2, .delete), for: .sectionDelete)).contains("not the section that went"))
    #expect(
      rules(putting(.section(old[1], index: 1, .insert), for: .sectionInsert)).contains("not the section that came"))
    #expect(
      rules(putting(.section(old[3], index: 3, .update), for: .sectionUpdate)).contains("not the section as it is now"))
    #expect(rules(putting(row(Card(2, 1), (0, 2), .delete, nil), for: .firstDelete)).contains("not the row that went"))
    #expect(rules(putting(row(Card(9, 1), nil, .insert, (0, 3)), for: .insert)).contains("not the row that came"))
    #expect(rules(putting(row(Card(3, 1), (0, 3), .move, (0, 0)), for: .move)).contains("not the row as it is now"))
    #expect(
      rules(putting(row(Card(1), (0, 0), .update, (0, 1)), for: .firstUpdate)).contains("not the row as it is now"))
    // Another row's old place.
    #expect(
      rules(putting(row(Card(1, 1), (4, 0), .update, (0, 1)), for: .firstUpdate))
        .contains("not the row that stood there"))
  }

  @Test func `the counts must add up`() {
    #expect(rules(leavingOut(.sectionDelete)).contains("the number of sections does not add up"))
    #expect(rules(leavingOut(.sectionInsert)).contains("the number of sections does not add up"))
    #expect(rules(leavingOut(.lastDelete)).contains("the number of rows does not add up"))
    #expect(rules(leavingOut(.insert)).contains("the number of rows does not add up"))
  }

  @Test func `an updated row must be at its reported path`() {
    // The same two lists but with row 1 twice.
    let update = Update(old: Snapshot<Card>("A: 1 1"), new: Snapshot<Card>("A: 1' 1'"))
    let calls = [row(Card(1, 1), (0, 1), .update, (0, 0)), row(Card(1, 1), (0, 0), .update, (0, 1))]
    let found = TableSimulator.violations(of: calls, in: update)
    #expect(found.map(\.rule) == ["an updated row is elsewhere", "an updated row is elsewhere"])
  }

  @Test func `the table must show the new list`() {
    let turned = Update(old: Snapshot<Card>("A: 1 2 3"), new: Snapshot<Card>("A: 2 3 1"))
    #expect(TableSimulator.violations(of: [], in: turned).map(\.rule).contains("another row is shown"))
    #expect(rules(leavingOut(.lastUpdate)) == ["a row shows its old content"])
    #expect(rules(leavingOut(.sectionUpdate)) == ["a section shows its old titles"])
    let swapped = Update(old: Snapshot<Card>("A: 1 | B: 2"), new: Snapshot<Card>("B: 2 | A: 1"))
    #expect(TableSimulator.violations(of: [], in: swapped).map(\.rule).contains("another section is shown"))
  }

  @Test func `nothing unnecessary may be reported`() {
    let sections = Update(old: Snapshot<Card>("A: 1 | B: 2"), new: Snapshot<Card>("A=Other: 1 | B: 2"))
    func rules(_ calls: [Event], in update: Update<Card>) -> [String] {
      TableSimulator.violations(of: calls, in: update).map(\.rule)
    }
    let replaced: [Event] = [
      .section(sections.old[0], index: 0, .delete), .section(sections.new[0], index: 0, .insert),
    ]
    #expect(rules(replaced, in: sections) == ["a section goes and comes for nothing"])
    let more: [Event] = [.section(sections.new[0], index: 0, .update), .section(sections.new[1], index: 1, .update)]
    #expect(rules(more, in: sections) == ["a section that does not differ is updated"])

    let rows = Update(old: Snapshot<Card>("A: 1 2 3"), new: Snapshot<Card>("A: 2 3 1"))
    #expect(
      rules([row(Card(1), (0, 0), .delete, nil), row(Card(1), nil, .insert, (0, 2))], in: rows)
        == ["a row goes and comes"])
    #expect(
      rules([row(Card(2), (0, 1), .move, (0, 0)), row(Card(3), (0, 2), .move, (0, 1))], in: rows)
        == ["a move that need not be", "a move that need not be"])
    #expect(
      rules([row(Card(1), (0, 0), .move, (0, 2)), row(Card(2), (0, 1), .update, (0, 0))], in: rows)
        == ["a row that does not differ is updated"])
    let none = Update(old: rows.old, new: rows.old)
    #expect(none.delegateEvents() == [])
    #expect(
      rules([row(Card(2), (0, 1), .update, (0, 1))], in: none)
        == ["no calls for changes, or calls for none", "a row that does not differ is updated"])
  }
}
