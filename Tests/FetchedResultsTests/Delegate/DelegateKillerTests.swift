import DataSourcesTestSupport
import FetchedResults
import Testing

/// The cases in which list views and libraries for them are known to fail, and the delegate's calls in each.
@Suite struct DelegateKillerTests {
  struct Case: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var old: Snapshot<Card>
    var new: Snapshot<Card>
    var calls: [String]
  }

  /// The case; the list before; the list after; the calls. The table is the test: it is parsed and run line by line.
  ///
  /// A list is written as its sections, `id: rows` or `id=name: rows`; 1' is row 1 with another content. Paths are
  /// [section, row].
  static let table = """
    the last row leaves a section
      A: 1 | B: 2
      A: | B: 2 1
        move 1 from [0, 0] to [1, 1]

    the last row leaves a section that goes with it
      A: 1 | B: 2
      B: 2 1
        section delete A at 0
        insert 1 at [0, 1]

    a row leaves a section for one that comes with it
      A: 1 2
      B: 1 | A: 2
        section insert B at 0
        delete 1 at [0, 0]

    a row moves from a deleted to an inserted section
      A: 1 | B: 2
      B: 2 | C: 1
        section delete A at 0
        section insert C at 1

    a section keeps its rows under another id
      A: 1 2 | B: 3
      C: 1 2 | B: 3
        section delete A at 0
        section insert C at 0

    a section moves and takes its rows along
      A: 1 2 | B: 3 | C: 4
      B: 3 | C: 4 | A: 1 2
        section delete A at 0
        section insert A at 2

    a section moves while rows in it change, go and change places
      A: 1 2 3 4 | B: 5 | C: 6
      B: 5 | C: 6 | A: 1' 3 2
        section delete A at 0
        section insert A at 2

    a section moves while a row leaves it for one that stays
      A: 1 2 | B: 3 | C: 4
      B: 3 2 | C: 4 | A: 1
        section delete A at 0
        section insert A at 2
        insert 2 at [0, 1]

    two sections and two rows swap at once
      A: 1 2 | B: 3 4
      B: 4 3 | A: 2 1
        section delete A at 0
        section insert A at 1
        move 3 from [1, 0] to [0, 1]

    three rows turn round, and the middle one moves to its own path
      A: 1 2 3
      A: 3 2 1
        move 2 from [0, 1] to [0, 1]
        move 1 from [0, 0] to [0, 2]

    a row moves to another section by a path that is the same
      A: 1 2 | B: 3 4
      N: 9 | A: 3 1 2 | B: 4
        section insert N at 0
        move 3 from [1, 0] to [1, 0]

    a row moves and changes at once
      A: 1 2 3
      A: 2 3 1'
        move 1' from [0, 0] to [0, 2]

    a row changes and shifts
      A: 1 2
      A: 9 1' 2
        insert 9 at [0, 0]
        update 1' at [0, 0], now [0, 1]

    rows shift because their section has another index
      A: 1 2 | B: 3
      N: 9 | A: 1 2' | B: 3
        section insert N at 0
        update 2' at [0, 1], now [1, 1]

    a section is renamed
      A: 1 | B: 2
      A=Other: 1 | B: 2
        section update Other at 0

    a section is renamed while a row in it changes
      A: 1 2 | B: 3
      A=Other: 1 2' | B: 3
        section delete A at 0
        section insert Other at 0

    a section is renamed while a row leaves it
      A: 1 2 | B: 3
      A=Other: 1 | B: 3 2
        section delete A at 0
        section insert Other at 0
        insert 2 at [1, 1]

    a section is renamed and moved
      A: 1 | B: 2 | C: 3
      B: 2 | C: 3 | A=Other: 1
        section delete A at 0
        section insert Other at 2

    a section splits
      A: 1 2 3 4
      A: 1 2 | B: 3 4
        section insert B at 1
        delete 4 at [0, 3]
        delete 3 at [0, 2]

    two sections merge
      A: 1 2 | B: 3 4
      A: 1 2 3 4
        section delete B at 1
        insert 3 at [0, 2]
        insert 4 at [0, 3]

    everything goes
      A: 1 2 | B: 3 | C:
      no section
        section delete C at 2
        section delete B at 1
        section delete A at 0

    everything comes
      no section
      A: 1 2 | B: 3
        section insert A at 0
        section insert B at 1

    an empty section comes
      A: 1
      A: 1 | B:
        section insert B at 1
    """

  static let cases: [Case] = table.split(separator: "\n\n").map { part in
    let lines = part.split(separator: "\n").map { $0.drop { $0 == " " } }.map(String.init)
    return Case(
      testDescription: lines[0], old: Snapshot<Card>(lines[1]), new: Snapshot<Card>(lines[2]),
      calls: Array(lines.dropFirst(3)))
  }

  @Test(arguments: cases) func `the delegate receives the calls of each case`(_ example: Case) {
    let update = Update(old: example.old, new: example.new)
    let events = update.delegateEvents()
    #expect(events.map(\.text) == example.calls)
    #expect(TableSimulator.violations(of: events, in: update) == [])
  }
}
