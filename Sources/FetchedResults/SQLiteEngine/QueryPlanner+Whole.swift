import SQLiteStore

extension QueryPlanner {
  /// The tables of a query that is run again as a whole.
  func dependencies(of reading: PlanProbe.Reading, because reason: String) throws -> [QueryPlan.Dependency] {
    try observedTables(of: reading).map { .init(table: $0, role: .whole(reason)) }
  }

  /// The tables whose commits are reported and that a statement reads: for a virtual table, those that it keeps its rows in.
  private func observedTables(of reading: PlanProbe.Reading) throws -> [String] {
    var names: Set<String> = []
    for table in reading.tables {
      let prefix = table.schema.lowercased() == "main" ? "" : "\(table.schema)."
      let rows = try probe.connection.copiedRows(
        "SELECT name, type FROM pragma_table_list WHERE schema = ? AND lower(name) = lower(?)",
        [.text(table.schema), .text(table.name)])
      guard let row = rows.first else { continue }
      let name: String = try row[0]
      switch try row[1] as String {
      case "view": continue
      case "virtual":
        let shadows = try probe.connection.copiedRows(
          """
          SELECT name FROM pragma_table_list
          WHERE schema = ?1 AND type = 'shadow' AND substr(name, 1, length(?2) + 1) = ?2 || '_'
          """, [.text(table.schema), .text(name)])
        names.formUnion(try shadows.map { prefix + (try $0[0] as String) })
        if shadows.isEmpty { names.insert(prefix + name) }
      default: names.insert(prefix + name)
      }
    }
    return names.sorted()
  }

  /// Where the columns of the result are.
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
    guard reading.columnNames.contains(where: { $0.lowercased() == entity.idColumn.lowercased() }) else {
      throw DatabaseError(
        code: .misuse,
        message:
          "the request for \(entity.typeName) selects no column \(entity.idColumn), which is its id; the columns are "
          + reading.columnNames.filter { !$0.hasPrefix(composition.prefix) }.joined(separator: ", "),
        sql: plan.full.text)
    }
    plan.contentNames = Array(reading.columnNames.prefix { !$0.hasPrefix(composition.prefix) })
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
    guard case .rowID = shape.key else { return false }
    let key = try probe.connection.copiedRows(
      "SELECT name, type FROM pragma_table_xinfo(?, ?) WHERE pk > 0", [.text(shape.name), .text(shape.schema)])
    guard key.count == 1, try (key[0][1] as String).uppercased() == "INTEGER" else { return false }
    return try (key[0][0] as String).lowercased() == origin.column.lowercased()
  }

  /// The sections that stand without rows.
  func headers(_ including: SQL, _ plan: inout QueryPlan) throws {
    let reading = try probe.reading(including)
    try Determinism(probe: probe).checkViews(reading.tables)
    let count = reading.columnNames.count
    guard count > 0, count <= 2 || count == 2 + plan.order.sectionOrderParts else {
      throw DatabaseError(
        code: .misuse,
        message: "`including` selects \(count) columns; it takes a value, a name, and then one for each of the "
          + "\(plan.order.sectionOrderParts) terms of `orderedBy`, or none", sql: including.text)
    }
    for table in try observedTables(of: reading) { plan.dependencies.append(.init(table: table, role: .headers)) }
  }
}
