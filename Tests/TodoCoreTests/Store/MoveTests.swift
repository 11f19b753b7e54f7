import DataSources
import DataSourcesTestSupport
import FixtureSupport
import TestSupport
import Testing
import TodoCore

@Suite struct MoveTests {
  @Test func `items go where they are moved in the order given`() throws {
    let test = try TestStore()
    try test.add("1", "2", "3", "4", "5")
    _ = try test.store.move(Selection(5, 3), .before(2))
    #expect(try test.list() == ["Inbox: 1, 5, 3, 2, 4"])
    _ = try test.store.move(Selection(1, 2), .after(4))
    #expect(try test.list() == ["Inbox: 5, 3, 4, 1, 2"])
    _ = try test.store.move(Selection(2, 4), .first(list: nil))
    #expect(try test.list() == ["Inbox: 2, 4, 5, 3, 1"])
    _ = try test.store.move(Selection(4, 2), .last(list: nil))
    #expect(try test.list() == ["Inbox: 5, 3, 1, 4, 2"])
    _ = try test.store.move(Selection(1, 5), .last(list: "Home"))
    _ = try test.store.move(Selection(2), .first(list: "home"))
    #expect(try test.list() == ["Inbox: 3, 4", "Home: 2, 1, 5"])
    _ = try test.store.move(Selection(3), .after(1))
    #expect(try test.list() == ["Inbox: 4", "Home: 2, 1, 3, 5"])
  }

  @Test func `items that are there already are not moved`() throws {
    let test = try TestStore()
    try test.add("1", "2", "3")
    for (ids, target) in [
      ([3], .after(2)), ([1], .before(2)), ([1, 2], .before(3)), ([2, 3], .last(list: "INBOX")),
      ([1], .first(list: nil)),
    ] as [([Int64], MoveTarget)] {
      #expect(try !test.store.move(Selection(ids), target).didChange)
    }
    #expect(throws: TodoError.self) { try test.store.move(Selection(1, 2), .before(2)) }
    #expect(try test.store.revision() == 3)
  }

  @Test func `a command that finds no items creates no list and no change`() throws {
    let test = try TestStore()
    try test.add("1")
    let (content, revision) = (try test.content(), try test.store.revision())
    let nothing = Selection(filter: try Filter(arguments: ["@none"], at: test.store.moment))
    var edit = ItemEdit()
    edit.list = "New"
    for command in [
      { try test.store.move(nothing, .last(list: "New")) }, { try test.store.move(nothing, .first(list: "New")) },
      { try test.store.move(nothing, .first(list: nil)) }, { try test.store.move(nothing, .before(1)) },
      { try test.store.edit(nothing, edit) }, { try test.store.tag(nothing, adding: ["a"]) },
      { try test.store.done(nothing) }, { try test.store.undone(nothing) }, { try test.store.start(nothing) },
      { try test.store.stop(nothing) }, { try test.store.archive(nothing) }, { try test.store.unarchive(nothing) },
      { try test.store.remove(nothing) }, { try test.store.note("x", to: nothing) }, { try test.store.add([]) },
      { try #require(try test.store.importItems(ImportBatch()).change) },
    ] as [() throws -> ChangeResult] {
      #expect(try !command().didChange)
      #expect(try test.content() == content && test.store.revision() == revision)
    }
  }

  @Test func `there is always room between two items`() throws {
    let test = try TestStore()
    try test.add("a", "b", "c", "d")
    // Always into the same gap, which halves it each time.
    for turn in 0..<80 { _ = try test.store.move(Selection(turn % 2 == 0 ? 3 : 4), .after(1)) }
    #expect(try test.list() == ["Inbox: a, d, c, b"])
    for _ in 0..<60 { _ = try test.store.undo() }
    _ = try test.store.undo()
    #expect(try test.list() == ["Inbox: a, c, d, b"])
  }

  @Test func `equal places do not get in the way`() throws {
    let test = try TestStore()
    try test.add("a", "b", "c", "d")
    let raw = try RawDatabase(path: test.path)
    try raw.execute("UPDATE item SET position = 7")
    _ = try test.store.move(Selection(4), .before(2))
    #expect(try test.list() == ["Inbox: a, d, b, c"])
  }

  /// Against an array that is edited in the same way.
  @Test(arguments: [1, 2, 3] as [UInt64]) func `many moves are those of an array`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let test = try TestStore()
    var expected = try (1...12).map { try test.add("\($0)")[0] }
    for step in 0..<120 {
      let moved = Array(expected.shuffled(using: &random).prefix(Int.random(in: 1...4, using: &random)))
      let rest = expected.filter { !moved.contains($0) }
      let target: MoveTarget
      let place: Int
      switch Int.random(in: 0..<4, using: &random) {
      case 0: (target, place) = (.first(list: nil), 0)
      case 1: (target, place) = (.last(list: "Inbox"), rest.count)
      case 2:
        let index = Int.random(in: rest.indices, using: &random)
        (target, place) = (.before(rest[index]), index)
      default:
        let index = Int.random(in: rest.indices, using: &random)
        (target, place) = (.after(rest[index]), index + 1)
      }
      let result = try test.store.move(Selection(moved), target)
      let now = Array(rest[..<place]) + moved + Array(rest[place...])
      #expect(result.didChange == (now != expected), "seed \(seed), step \(step)")
      expected = now
      try #require(
        try test.list() == ["Inbox: \(expected.map(String.init).joined(separator: ", "))"], "seed \(seed), step \(step)"
      )
    }
  }
}
