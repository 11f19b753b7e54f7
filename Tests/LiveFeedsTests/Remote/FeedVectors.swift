import DataSources
import DataSourcesTestSupport
import FetchedResultsSupport
import Foundation
import LiveFeeds
import TestSupport

/// The cases of Fixtures/feeds: lists, the frames that lead from one to the other, and frames that must be refused.
enum FeedVectors {
  typealias List = Snapshot<Errand>

  static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Fixtures/feeds")

  /// One case as text: its frames are the bytes of a feed.
  private static func text(_ name: String, _ before: List?, _ frames: [String], after: List?) throws -> String {
    let parts = [
      "{\"name\":\(try json(name))", try before.map { "\"before\":\(try json($0))" },
      "\"frames\":[\n  " + frames.joined(separator: ",\n  ") + "]",
      try after.map { "\"after\":\(try json($0))}" } ?? "\"refused\":true}",
    ]
    return parts.compactMap(\.self).joined(separator: ",\n ")
  }

  private static func json(_ value: some Encodable) throws -> String {
    String(decoding: try encoder().encode(value), as: UTF8.self)
  }

  private static func encoder() -> JSONEncoder {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return encoder
  }

  private static func options(pieceBytes: Int = 64 << 10) -> FeedOptions {
    var options = FeedOptions()
    (options.encoder, options.pieceBytes) = (Self.encoder, pieceBytes)
    return options
  }

  /// Frames with a handle that is always the same.
  private static func lines(_ frames: [FeedFrame], of feed: LiveFeed<Errand>) -> [String] {
    frames.map { String(decoding: $0.data, as: UTF8.self).replacing(feed.handle + ".", with: "h.") }
  }

  // MARK: Files

  /// The files by name, as they should be.
  static func files() async throws -> [(name: String, text: String)] {
    var patches: [String] = []
    for (name, before, after) in changes() { patches.append(try await patch(name, before, after)) }
    for seed in UInt64(1)...24 {
      var random = SeededGenerator(seed: seed)
      let before = random.richList()
      patches.append(try await patch("random change \(seed)", before, random.richList(from: before)))
    }
    patches.append(try await merged())
    return [
      ("patches.json", patches), ("snapshots.json", try snapshots()), ("windows.json", try await windows()),
      ("refused.json", try await refused()),
    ].map { ($0.0, "[\n" + $0.1.joined(separator: ",\n") + "\n]\n") }
  }

  private static func patch(_ name: String, _ before: List, _ after: List) async throws -> String {
    try text(name, before, await patches(before, [after]), after: after)
  }

  /// What a reader of the first list gets after others.
  private static func patches(_ before: List, _ lists: [List], missesAll: Bool = true) async throws -> [String] {
    let controller = SectionController(before)
    let feed = LiveFeed(controller, options: options())
    let start = "\(feed.handle).0"
    var token = start
    for list in lists {
      controller.replace(with: list)
      while feed.read(after: token).frames.isEmpty { try await Task.sleep(for: .microseconds(100)) }
      token = feed.read(after: token).frames.last?.next ?? token
    }
    return lines(feed.read(after: start).frames, of: feed)
  }

  private static func merged() async throws -> String {
    var random = SeededGenerator(seed: 77)
    let before = random.richList()
    var lists = [before]
    while lists.count < 20 {
      let next = random.richList(from: lists[lists.count - 1])
      if next != lists[lists.count - 1] { lists.append(next) }
    }
    return try text(
      "many changes as one patch", before, await patches(before, Array(lists.dropFirst())), after: lists[19])
  }

  private static func snapshots() throws -> [String] {
    func all(_ name: String, _ list: List, before: List? = nil, pieceBytes: Int) throws -> String {
      let feed = LiveFeed(SectionController(list), options: options(pieceBytes: pieceBytes))
      var frames: [FeedFrame] = []
      while true {
        let read = feed.read(after: frames.last?.next)
        if read.frames.isEmpty { break }
        frames += read.frames
      }
      return try text(name, before, lines(frames, of: feed), after: list)
    }
    var random = SeededGenerator(seed: 5)
    let rich = random.richList()
    let long = Snapshot([
      section("empty", []), section("long", (0..<9).map { row($0) }), section("empty too", []),
      section("end", [row(20), row(21)]),
    ])
    return [
      try all("a list without sections", Snapshot(), pieceBytes: 1000),
      try all("one section without rows", Snapshot([section("A", [])]), pieceBytes: 1000),
      try all("one piece", rich, pieceBytes: 64 << 10),
      try all(
        "a row in each piece: sections continue", Snapshot([section("A", (0..<150).map { row($0) })]), pieceBytes: 1),
      try all("pieces that end between sections, and empty sections", long, pieceBytes: 1),
      try all("a snapshot replaces the list", rich, before: long, pieceBytes: 100),
      try all("a snapshot of nothing replaces the list", Snapshot(), before: long, pieceBytes: 100),
    ]
  }

  private static func windows() async throws -> [String] {
    let list = Snapshot([section("A", (0..<7).map { row($0) }), section("B", (7..<12).map { row($0) })])
    let controller = SectionController(list)
    let feed = LiveFeed(controller, options: options())
    guard let window = feed.window(1, of: 5) as? LiveFeed<Errand> else { return [] }
    let first = window.read(after: nil).frames
    let block = Snapshot([section("A", [row(5), row(6)]), section("B", (7..<10).map { row($0) })])
    var cases = [try text("rows 5 to 9 of 12", nil, lines(first, of: window), after: block)]
    controller.remove(at: ItemPath(section: 0, item: 0))
    while window.read(after: first[0].next).frames.isEmpty { try await Task.sleep(for: .microseconds(100)) }
    let second = window.read(after: first[0].next).frames
    let next = Snapshot([section("A", [row(6)]), section("B", (7..<11).map { row($0) })])
    cases.append(try text("a row before the window goes", block, lines(second, of: window), after: next))
    controller.append(row(30), toSection: 1)
    while window.read(after: second[0].next).frames.isEmpty { try await Task.sleep(for: .microseconds(100)) }
    let third = window.read(after: second[0].next).frames
    cases.append(
      try text("a row behind the window comes: only the total is new", next, lines(third, of: window), after: next))
    return cases
  }

  private static func refused() async throws -> [String] {
    let before = Snapshot([section("A", [row(1), row(2)]), section("B", [row(3)])])
    let right = try await patches(
      before, [Snapshot([section("A", [row(2), row(1)]), section("B", [row(3), row(4)])])])[0]
    func wrong(_ name: String, _ part: String, _ other: String) throws -> String {
      guard right.contains(part) else { fatalError("\(right) has no \(part)") }
      return try text(name, before, [right.replacing(part, with: other)], after: nil)
    }
    return [
      try wrong("a patch for another place", "\"after\":\"h.0\"", "\"after\":\"h.5\""),
      try wrong("a patch for another number of rows", "\"numberOfItems\":3", "\"numberOfItems\":4"),
      try wrong("a patch for another number of sections", "\"numberOfSections\":2", "\"numberOfSections\":3"),
      try wrong("a row at a place that does not exist", "\"insertedItems\":[[1,1]]", "\"insertedItems\":[[1,2]]"),
      try wrong("a place below zero", "\"insertedItems\":[[1,1]]", "\"insertedItems\":[[1,-1]]"),
      try wrong("a place without a row", "\"insertedItems\":[[1,1]]", "\"insertedItems\":[[1,1],[1,2]]"),
      try text("a frame without a token", before, ["{\"sections\":[]}"], after: nil),
      try text(
        "a piece without a snapshot", before, ["{\"after\":\"h.0\",\"next\":\"h.1\",\"sections\":[]}"], after: nil),
      try text("neither a patch nor sections", before, ["{\"after\":\"h.0\",\"next\":\"h.1\"}"], after: nil),
    ]
  }

  // MARK: Lists

  static func section(_ name: String, _ rows: [Errand]) -> Section<Errand> {
    Section(id: .text(name), name: name, items: rows)
  }

  static func row(_ id: Int, _ title: String? = nil) -> Errand { Errand(id: Int64(id), title: title ?? "row \(id)") }

  private static func changes() -> [(String, List, List)] {
    let a = section("A", [row(1), row(2), row(3)])
    let b = section("B", [row(4), row(5)])
    let empty = section("empty", [])
    let list = Snapshot([a, b, empty])
    func change(_ name: String, _ edit: (inout List) -> Void) -> (String, List, List) {
      var after = list
      edit(&after)
      return (name, list, after)
    }
    func path(_ section: Int, _ item: Int) -> ItemPath { ItemPath(section: section, item: item) }
    let ids: [SectionID] = [
      .none, .integer(-7), .integer(.max), .real(1.5), .real(.infinity), .text("é"), .blob([0, 255]),
    ]
    return [
      change("a row comes first") { $0.insert(row(9), at: path(0, 0)) },
      change("a row comes last") { $0.append(row(9), toSection: 1) },
      change("a row comes into an empty section") { $0.append(row(9), toSection: 2) },
      change("two rows come between others") {
        $0.insert(row(8), at: path(0, 1))
        $0.insert(row(9), at: path(0, 3))
      },
      change("a row goes") { $0.remove(at: path(0, 1)) },
      change("the last row of a section goes") {
        $0.remove(at: path(1, 0))
        $0.remove(at: path(1, 0))
      },
      change("a row changes") { $0.replace(at: path(0, 2), with: row(3, "other")) },
      change("a row moves down in its section") { $0.move(from: path(0, 0), to: path(0, 2)) },
      change("a row moves up in its section") { $0.move(from: path(0, 2), to: path(0, 0)) },
      change("a row moves to another section") { $0.move(from: path(0, 1), to: path(1, 1)) },
      change("a row moves and changes") {
        $0.move(from: path(0, 1), to: path(2, 0))
        $0.replace(at: path(2, 0), with: row(2, "other"))
      },
      change("rows swap sections") {
        $0.move(from: path(0, 0), to: path(1, 0))
        $0.move(from: path(1, 1), to: path(0, 0))
      },
      ("a section in reverse order", list, Snapshot([section("A", [row(3), row(2), row(1)]), b, empty])),
      change("a row changes its id") { $0.replace(at: path(0, 1), with: row(22)) },
      ("a section comes with rows", list, Snapshot([section("new", [row(7), row(8)]), a, b, empty])),
      ("a section comes without rows", list, Snapshot([a, section("new", []), b, empty])),
      ("a section goes with its rows", list, Snapshot([b, empty])),
      ("a section without rows goes", list, Snapshot([a, b])),
      ("a section moves", list, Snapshot([b, empty, a])),
      (
        "a section moves, and its rows change", list,
        Snapshot([b, empty, section("A", [row(3), row(1, "other"), row(9)])])
      ),
      ("a row leaves a section that goes", list, Snapshot([section("A", [row(1), row(4), row(2), row(3)]), empty])),
      (
        "a row moves into a section that comes", list,
        Snapshot([section("new", [row(2), row(9)]), section("A", [row(1), row(3)]), b, empty])
      ),
      (
        "a row moves from a section that goes into one that comes", list,
        Snapshot([a, section("new", [row(5)]), empty])
      ),
      change("a section has another name") { $0.updateSection(at: 1) { $0.name = "other" } },
      change("a section has a header, a footer and no index title") {
        $0.updateSection(at: 0) { ($0.header, $0.footer, $0.indexTitle) = ("above", "below", nil) }
      },
      change("a section moves, has another name, and gets a row") {
        $0 = Snapshot([empty, a, b])
        $0.updateSection(at: 0) { $0.name = "no longer empty" }
        $0.append(row(9), toSection: 0)
      },
      ("all rows go", list, Snapshot([section("A", []), section("B", []), empty])),
      ("all sections go", list, Snapshot()),
      ("the first section comes", Snapshot(), Snapshot([a])),
      ("everything is another", list, Snapshot([section("X", [row(11)]), section("Y", [row(12)])])),
      (
        "ids of sections of all kinds", Snapshot(ids.prefix(3).map { Section(id: $0, name: "\($0)", items: []) }),
        Snapshot(ids.reversed().enumerated().map { Section(id: $1, name: "\($1)", items: [row($0)]) })
      ),
      (
        "texts of all kinds", Snapshot([section("Bücher", [row(1, "café"), row(2, "👩‍👩‍👧")])]),
        Snapshot([
          section("Bücher", [row(2, "👩‍👩‍👧 \"quoted\" \\ / \u{8}\n\t"), row(3, "\u{0}\u{2028}עברית"), row(1, "café")]),
          section("日本", []),
        ])
      ),
    ]
  }
}

extension SeededGenerator {
  private static let names = ["A", "B", "Ü", "日本", "e", "f"]

  /// A list of a few sections with titles of all kinds.
  mutating func richList() -> Snapshot<Errand> {
    var id: Int64 = 0
    return Snapshot(
      Self.names.prefix(1 + below(5)).map { name in
        let rows = (0..<below(5)).map { _ in
          id += 1
          return Errand(id: id, title: pick("milk", "bröd", "🥚", ""), isDone: once(in: 3))
        }
        return Section(id: .text(name), name: name, header: once(in: 3) ? "above" : nil, items: rows)
      })
  }

  /// Another list with some of the same rows and sections.
  mutating func richList(from list: Snapshot<Errand>) -> Snapshot<Errand> {
    var list = list
    for _ in 0..<1 + below(3) { list = ErrandsAndCareer.changed(list, using: &self) }
    return list
  }
}
