import FetchedResults
import Foundation
import SQLiteEngine
import Testing

@testable import FetchedResultsCore

private struct Item: MappedEntity, Equatable {
  static let table = "item"
  static let mapping = Mapping(
    Item.init, ("id", \.id), ("title", \.title), ("list", \.list), ("done", \.done), ("due", \.due),
    ("rank", \.priority))
  var id: Int64
  var title: String
  var list: Int64
  var done: Bool
  var due: Date?
  var priority: Int?

  static func database() throws -> Database {
    let database = try Database.inMemory()
    try database.write { connection in
      try connection.executeScript(
        """
        CREATE TABLE item(id INTEGER PRIMARY KEY, title TEXT, list INTEGER, done INTEGER, due TEXT, rank INTEGER);
        CREATE INDEX item_title ON item(title); CREATE INDEX item_due ON item(due);
        CREATE INDEX item_rank ON item(rank); CREATE INDEX item_list ON item(list);
        """)
      for (id, title) in ["milk", "Eggs", "bread"].enumerated() {
        try connection.insert(
          Item(
            id: Int64(id), title: title, list: Int64(id % 2), done: id == 1,
            due: id == 0 ? nil : Date(timeIntervalSince1970: Double(id) * 1e9), priority: id == 2 ? nil : id))
      }
    }
    return database
  }
}

extension FetchRequest {
  fileprivate var condition: SQL? {
    get throws {
      let source = try description.translated(by: ConditionTranslator()).source
      return if case .pieces(from: nil, select: _, let condition?) = source { condition.sql } else { nil }
    }
  }
}

@Suite struct TypedRequestTests {
  @Test func `a typed request is the request that one would write in SQL`() throws {
    let lists: [Int64] = [1, 2]
    let request = FetchRequest<Item>(
      predicate: #Predicate { !$0.done && lists.contains($0.list) },
      sortBy: [.ascending(\.due, nulls: .last), .descending(\.title, collation: .nocase)], sectionBy: \.list, limit: 10,
      offset: 2)
    let translated = FetchRequest<Item>(
      where: try request.condition, sectionBy: request.sectionBy, orderBy: request.orderBy, limit: request.limit,
      offset: request.offset)
    #expect(
      translated
        == FetchRequest(
          where: "((NOT \"item\".\"done\") AND (\"item\".\"list\" IN \(lists)))", sectionBy: "\"item\".\"list\"",
          orderBy: [
            .ascending("frc_date(\"item\".\"due\")", nulls: .last),
            .descending("\"item\".\"title\"", collation: .nocase),
          ],
          limit: 10, offset: 2))
    #expect(FetchRequest<Item>() == FetchRequest<Item>(predicate: nil))
    let named = SectionTerm.by("list", name: "upper(list)")
    #expect(FetchRequest<Item>(sectionBy: named).sectionBy == named)
    #expect(FetchRequest<Item>(sectionBy: "list").sectionBy == "list")
    #expect(FetchRequest<Item>(sectionBy: \.priority).sectionBy == "\"item\".\"rank\"")
  }

  @Test func `a request's condition finds its rows`() throws {
    let now = Date(timeIntervalSince1970: 1.5e9)
    let request = FetchRequest<Item>(predicate: #Predicate { $0.due != nil && $0.due! < now })
    let condition = try #require(try request.condition)
    let titles = try Item.database().read {
      try $0.values("SELECT title FROM item WHERE \(condition)", as: String.self)
    }
    #expect(titles == ["Eggs"])
  }

  @Test func `a condition can be put into any query, under the table's alias`() throws {
    let word = "g"
    try Item.database().read { connection in
      let open = try SQL(#Predicate<Item> { !$0.done && $0.title.contains(word) })
      #expect(try connection.value("SELECT count(*) FROM item WHERE \(open)", as: Int.self) == 0)
      let other = try SQL(#Predicate<Item> { $0.title.contains(word) }, alias: "i")
      #expect(try connection.value("SELECT count(*) FROM item AS i WHERE \(other)", as: Int.self) == 1)
    }
  }

  @Test func `a predicate that can't be translated is an error of the fetch`() throws {
    let predicate = FetchRequest<Item>(predicate: #Predicate { $0.title.count > 3 })
    #expect(try refusal(of: predicate).contains("$0.title.count"))
    #expect(predicate != FetchRequest<Item>())
    // The predicate is to blame first.
    let both = FetchRequest<Item>(
      predicate: #Predicate { $0.title.count > 3 }, sortBy: [.ascending(\.title.count)], sectionBy: \.title.utf8)
    #expect(try refusal(of: both) == refusal(of: predicate))
    let order = FetchRequest<Item>(sortBy: [.ascending(\.title.count)])
    #expect(try #require(order.failure).message.contains("no column in the mapping of Item"))
    #expect(throws: DatabaseError.self) { try TypedOrderTerm<Item>.ascending(\.title.count).term() }
    let section = FetchRequest<Item>(sectionBy: \.title.utf8)
    #expect(try #require(section.failure).message.contains("no column in the mapping of Item"))
    let huge = (0...40_000).map { Double($0) }
    let long = FetchRequest<Item>(where: "rank IN \(huge)")
    #expect(try refusal(of: long).contains("a list of 40001 values is more than the 32766"))
  }

  private func refusal(of request: FetchRequest<Item>) throws -> String {
    let error = #expect(throws: DatabaseError.self) {
      try FetchedResultsController(fetchRequest: request, database: Item.database()).performFetch()
    }
    return try #require(error).message
  }

  @Test func `a request that can't be translated leaves the list as it was and reports the error`() async throws {
    let database = try Item.database()
    let controller = FetchedResultsController(
      fetchRequest: FetchRequest<Item>(predicate: #Predicate { !$0.done }), database: database)
    try await controller.performFetch()
    let list = controller.snapshot
    controller.fetchRequest = FetchRequest(predicate: #Predicate { $0.title.count > 3 })
    let error = await #expect(throws: DatabaseError.self) { try await controller.settled() }
    #expect(try #require(error).message.contains("$0.title.count"))
    #expect(controller.lastError as? DatabaseError == error)
    #expect(controller.snapshot == list)
    let word = "e"
    controller.fetchRequest = FetchRequest(predicate: #Predicate { $0.title.contains(word) })
    try await controller.settled()
    #expect(controller.lastError == nil)
    #expect(controller.fetchedObjects.map(\.title) == ["bread"])
  }

  @Test func `an equal request is not fetched`() async throws {
    let controller = FetchedResultsController(
      fetchRequest: FetchRequest<Item>(predicate: Self.containing("e")), database: try Item.database())
    try await controller.performFetch()
    let rows = controller.statistics.rowsRead
    controller.fetchRequest = FetchRequest(predicate: Self.containing("e"))
    try await controller.settled()
    #expect(controller.statistics.rowsRead == rows)
    controller.fetchRequest = FetchRequest(predicate: Self.containing("m"))
    try await controller.settled()
    #expect(controller.statistics.rowsRead > rows)
    #expect(controller.fetchedObjects.map(\.title) == ["milk"])
  }

  private static func containing(_ word: String) -> Predicate<Item> { #Predicate { $0.title.contains(word) } }

  @Test func `captured values are bound and never inserted as text`() throws {
    let nasty = "x' OR 1=1; DROP TABLE item; --"
    let other = "\"y\" ?"
    let list = [nasty, other]
    let number = 987_654
    let predicates = [
      #Predicate<Item> { $0.title == nasty || $0.title != other || $0.title < nasty },
      #Predicate<Item> { $0.title.contains(nasty) && $0.title.starts(with: other) && nasty.contains($0.title) },
      #Predicate<Item> { list.contains($0.title) || (nasty...nasty).contains($0.title) },
      #Predicate<Item> { ($0.done ? nasty : other) == $0.title && list.contains { $0 == nasty } },
      #Predicate<Item> { thing in list.allSatisfy { $0 == thing.title } && (thing.priority ?? number) == number },
    ]
    for predicate in predicates {
      let sql = try SQL(predicate)
      for text in ["x'", "DROP", "y", "987"] { #expect(!sql.text.contains(text), "\(sql.text)") }
      #expect(sql.text.count { $0 == "?" } == sql.bindings.count)
      _ = try Item.database().read { try $0.rows("SELECT id FROM item WHERE \(sql)") }
    }
  }

  @Test(arguments: [
    "title", "rank", "due<", "due>", "list", "optional", "if let",
  ])
  func `an index is used for a condition on its column`(_ what: String) throws {
    let predicate = Self.searching(what)
    let condition = try #require(try FetchRequest<Item>(predicate: predicate).condition)
    let plan = try Item.database().read { try $0.rows("EXPLAIN QUERY PLAN SELECT id FROM item WHERE \(condition)") }
    let details = try plan.map { try $0["detail"] as String }
    #expect(!details.contains { $0.hasPrefix("SCAN") }, "\(details) of \(condition)")
  }

  private static func searching(_ what: String) -> Predicate<Item> {
    let word = "milk"
    let now = Date(timeIntervalSince1970: 1.5e9)
    let lists: [Int64] = [1, 2]
    switch what {
    case "title": return #Predicate { $0.title == word }
    case "rank": return #Predicate { $0.priority == 3 }
    case "due<": return #Predicate { $0.due != nil && $0.due! < now }
    case "due>": return #Predicate { $0.due != nil && $0.due! > now }
    case "list": return #Predicate { lists.contains($0.list) && !$0.done }
    case "optional": return #Predicate { $0.priority.flatMap { $0 > 3 } ?? false }
    default: return #Predicate { if let due = $0.due { due <= now } else { false } }
    }
  }
}
