import FetchedResults

/// Fields of SQL: where from, which, by what in sections and in order, then statements that change something. A request
/// is refused, or followed truly: after each change the list is what a fresh fetch gives.
enum RequestCheck {
  struct Row: Entity, Equatable {
    static let table = "item"
    var id: Int64
    var title: String?

    init(row: FetchedResults.Row) throws {
      id = try row["id"]
      title = try row["title"]
    }
  }

  static func run(_ bytes: [UInt8]) throws {
    var source = ByteSource(bytes)
    let choice = source.byte()
    let texts = (0..<4).map { _ in source.text() }
    let database = try SmallDatabase.make()
    let controller = FetchedResultsController<Row>(fetchRequest: request(choice, texts), database: database)
    guard try fetch(controller) else { return }
    for _ in 0..<3 where !source.isAtEnd {
      let statement = source.text()
      do {
        try database.write { try $0.executeScript(statement) }
      } catch let error as DatabaseError {
        try expect(!error.message.isEmpty, "an error without words")
      }
      guard try settle(controller) else { return }
      let fresh = FetchedResultsController<Row>(fetchRequest: request(choice, texts), database: database)
      guard try fetch(fresh) else { return }
      try expect(
        fresh.snapshot == controller.snapshot,
        "\(texts), after \(statement.debugDescription): \(controller.snapshot), not \(fresh.snapshot)")
    }
  }

  private static func request(_ choice: UInt8, _ texts: [String]) -> FetchRequest<Row> {
    let section = texts[2].isEmpty ? nil : SectionTerm.by(SQL(raw: texts[2]))
    let order = texts[3].isEmpty ? [] : [OrderTerm(SQL(raw: texts[3]))]
    let limit = choice & 2 == 0 ? nil : Int(choice >> 4)
    if choice & 1 == 0 {
      return FetchRequest(sql: SQL(raw: texts[0]), sectionBy: section, orderBy: order, limit: limit)
    }
    return FetchRequest(
      from: texts[0].isEmpty ? nil : SQL(raw: texts[0]), where: texts[1].isEmpty ? nil : SQL(raw: texts[1]),
      sectionBy: section, orderBy: order, limit: limit)
  }

  private static func fetch(_ controller: FetchedResultsController<Row>) throws -> Bool {
    do {
      try controller.performFetch()
      return true
    } catch let error as DatabaseError {
      try expect(!error.message.isEmpty, "an error without words")
      return false
    }
  }

  private static func settle(_ controller: FetchedResultsController<Row>) throws -> Bool {
    do {
      try Blocking.wait { try await controller.settled() }
      return true
    } catch let error as DatabaseError {
      try expect(!error.message.isEmpty, "an error without words")
      return false
    }
  }
}
