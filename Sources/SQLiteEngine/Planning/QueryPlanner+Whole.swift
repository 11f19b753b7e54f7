import FetchedResultsCore
import RowModel
import SQLiteStore

extension QueryPlanner {
  /// The tables of a query that is run again as a whole.
  func dependencies(
    of sql: SQL, _ reading: PlanProbe.Reading, because reason: String
  ) throws -> [QueryPlan.Dependency] {
    try observedTables(of: sql, reading).map { .init(table: $0, role: .whole(reason)) }
  }

  /// The tables whose commits are reported and that a statement reads; for a virtual table, those in which it stores
  /// its rows.
  private func observedTables(of sql: SQL, _ reading: PlanProbe.Reading) throws -> [String] {
    var names: Set<String> = []
    for table in try probe.tables(readBy: sql, reading) {
      func observed(_ name: String) -> String { Self.observedName(schema: table.schema, name) }
      let rows = try probe.connection.copiedRows(
        "SELECT name, type FROM pragma_table_list WHERE schema = ? AND name = ? COLLATE NOCASE",
        [.text(table.schema), .text(table.name)])
      guard let row = rows.first else {
        // The schema under its old name is not listed, and neither are table-valued functions.
        if !Self.pureTableFunctions.contains(table.name.lowercased()) { names.insert(observed(table.name)) }
        continue
      }
      let name: String = try row[0]
      switch try row[1] as String {
      case "view": continue
      case "virtual": names.formUnion(try rowTables(ofVirtual: name, table.schema).map(observed))
      default: names.insert(observed(name))
      }
    }
    return names.sorted()
  }

  /// Table-valued functions that depend only on their arguments.
  static let pureTableFunctions: Set<String> = ["json_each", "json_tree", "generate_series", "carray"]

  /// The tables that a virtual table writes with every change of its rows; the virtual table itself if none of them is
  /// reported in time.
  private func rowTables(ofVirtual name: String, _ schema: String) throws -> [String] {
    let shadows = try probe.connection.copiedRows(
      """
      SELECT name FROM pragma_table_list
      WHERE schema = ?1 AND type = 'shadow' AND substr(name, 1, length(?2) + 1) = ?2 || '_'
      """, [.text(schema), .text(name)]
    ).map { try $0[0] as String }.filter(ShadowTable.isWrittenAtOnce)
    // A full-text index that stores neither texts nor their lengths writes nothing before COMMIT.
    let tells = shadows.contains { $0.dropFirst(name.count) != "_config" }
    return tells ? shadows : [name]
  }

  /// The positions of the result's columns.
  func places(_ composition: Composition, _ plan: inout QueryPlan, _ reading: PlanProbe.Reading) throws {
    let computed = composition.terms.filter { $0.selected == nil }.count
    var back = composition.entityKey.count + composition.partnerKeys.reduce(0) { $0 + $1.count } + computed
    if composition.name != nil { back += 1 }
    func next() -> QueryPlan.ColumnPlace {
      defer { back -= 1 }
      return .back(back)
    }
    plan.entityKey = composition.entityKey.map { _ in next() }
    for index in composition.partnerKeys.indices {
      plan.partnerKeys[index].places = composition.partnerKeys[index].map { _ in next() }
    }
    plan.orderPlaces = composition.terms.map { term in term.selected.map { .front($0) } ?? next() }
    if composition.name != nil {
      plan.namePlace = next()
    } else if plan.order.hasSections {
      plan.namePlace = plan.orderPlaces[plan.order.sectionOrderParts]
    }
    guard reading.columnNames.contains(where: { $0.isSameName(as: entity.idColumn) }) else {
      throw DatabaseError(
        code: .misuse,
        message:
          "the request for \(entity.typeName) selects no column \(entity.idColumn), which is its id; the columns are "
          + reading.columnNames.filter { !$0.hasPrefix(composition.prefix) }.joined(separator: ", "),
        sql: plan.full.text)
    }
    plan.contentNames = Array(reading.columnNames.prefix { !$0.hasPrefix(composition.prefix) })
    plan.contentOrigins = Array(try probe.origins(reading, of: plan.full).prefix(plan.contentNames.count))
    // The key of an entity with an INTEGER PRIMARY KEY is its id, which is selected already.
    if plan.isEntityKeyRowID, composition.entityKey.count == 1, composition.wrapper == nil,
      let columns = entity.columns,
      let index = columns.firstIndex(of: entity.idColumn), let origin = reading.origins[index],
      try isRowID(origin)
    {
      plan.entityKey = [.front(index)]
    }
  }

  private func isRowID(_ origin: PlanProbe.Origin) throws -> Bool {
    let shape = try TableShape("\(origin.table.schema).\(origin.table.name)", on: probe.connection)
    return shape.rowIDColumn?.isSameName(as: origin.column) == true
  }

  /// The sections that exist without rows.
  func headers(_ including: SQL, _ plan: inout QueryPlan) throws {
    let reading = try probe.reading(including)
    try Determinism(probe: probe).checkViews(reading)
    let count = reading.columnNames.count
    guard count > 0, count <= 2 || count == 2 + plan.order.sectionOrderParts else {
      throw DatabaseError(
        code: .misuse,
        message: "`including` selects \(count) columns; it takes a value, a name, and then one for each of the "
          + "\(plan.order.sectionOrderParts) terms of `orderedBy`, or none", sql: including.text)
    }
    for table in try observedTables(of: including, reading) {
      plan.dependencies.append(.init(table: table, role: .headers))
    }
  }
}
