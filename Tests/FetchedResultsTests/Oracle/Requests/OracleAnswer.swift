import FetchedResults

/// What a request must show, found with plain SQL and put into sections here, by no code of the library's.
struct OracleAnswer {
  struct Part: Equatable {
    var id: SectionID
    var name: String
    var rows: [[Value]]
  }

  enum Result {
    case list([Part])
    /// The request has no answer: a row or a section would occur twice.
    case error(String)
  }

  var spec: OracleSpec
  let table: String
  let columns: [String]?

  // MARK: SQL

  private var orderTerms: [String] {
    var terms: [String] = []
    if let sections = spec.sections {
      terms += sections.orderedBy.map { "(\($0.expression))\($0.suffix)" }
      terms.append(sectionValue(sections))
    }
    var selected: [String: String] = [:]
    if case .pieces(_, _, let select, _) = spec.source { for (name, sql) in select { selected[name] = sql } }
    return terms + spec.order.map { "(\(selected[$0.expression] ?? $0.expression))\($0.suffix)" }
  }

  private func sectionValue(_ sections: OracleSpec.Sections) -> String {
    sections.isThrough ? "oracle_section(\(sections.value))" : "(\(sections.value))"
  }

  private var extraColumns: String {
    guard let sections = spec.sections else { return "" }
    let value = sectionValue(sections)
    let orders = sections.orderedBy.enumerated().map { ", (\($1.expression)) AS o_order\($0)" }.joined()
    return "\(orders), \(value) AS o_value, CAST((\(sections.name ?? value)) AS TEXT) AS o_name"
  }

  private var window: String {
    spec.limit == nil && spec.offset == 0 ? "" : " LIMIT \(spec.limit ?? -1) OFFSET \(spec.offset)"
  }

  /// Ids that are equal by their collation are ordered by their bytes.
  private static func idOrder(_ alias: String) -> [String] { ["\(alias).id", "\(alias).id COLLATE BINARY"] }

  private var sql: String {
    switch spec.source {
    case .pieces(let from, let alias, let select, let condition):
      var list = columns.map { $0.map { "\(alias).\($0)" }.joined(separator: ", ") } ?? "\(alias).*"
      for selection in select { list += ", \(selection.expression) AS \(selection.name)" }
      let order = (orderTerms + Self.idOrder(alias)).joined(separator: ", ")
      return "SELECT \(list)\(extraColumns) FROM \(from ?? table)\(condition.map { " WHERE \($0)" } ?? "") "
        + "ORDER BY \(order)\(window)"
    case .statement(let sql):
      if orderTerms.isEmpty { return sql }
      return "SELECT o_rows.*\(extraColumns) FROM (\(sql)\n) AS o_rows "
        + "ORDER BY \((orderTerms + Self.idOrder("o_rows")).joined(separator: ", "))\(window)"
    }
  }

  // MARK: Asking

  /// SQL with a unique text: the library caches statements by their text, and must not find one statement where two are
  /// meant.
  static func own(_ sql: String) -> String {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in sql.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    return "/* \(hash) */ " + sql
  }

  func ask(_ c: Connection) throws -> Result {
    var rows = try c.rows(SQL(raw: Self.own(sql)))
    if case .statement = spec.source, orderTerms.isEmpty {
      rows = Array(rows.dropFirst(spec.offset).prefix(spec.limit ?? .max))
    }
    let extra = spec.sections.map { 2 + $0.orderedBy.count } ?? 0
    var contents = try rows.map { Array(try $0.values.dropLast(extra)) }
    let ids = try rows.map { try $0["id"] as Value }
    if Set(ids).count < ids.count { return .error("occurs more than once") }
    // Wrapping a compound changes what it computes, so that the values are taken from it alone.
    if case .statement(let sql) = spec.source, !orderTerms.isEmpty {
      var alone: [Value: [Value]] = [:]
      for row in try c.rows(SQL(raw: Self.own(sql))) { alone[try row["id"]] = try row.values }
      for (index, id) in ids.enumerated() { contents[index] = alone[id] ?? [] }
    }
    guard let sections = spec.sections else { return .list([Part(id: .none, name: "", rows: contents)]) }
    var parts: [Part] = []
    var lastOrders: [SectionID] = []
    for (row, content) in zip(rows, contents) {
      let orders = try sections.orderedBy.indices.map { index in
        Self.canonical(try row["o_order\(index)"], sections.orderedBy[index].equality)
      }
      let value: Value = try row["o_value"]
      let name: String = try row["o_name"] as String? ?? ""
      let id = Self.canonical(value, sections.equality)
      if let last = parts.last, Self.areOne(last.id, id, sections.equality) {
        let agree = orders.indices.allSatisfy {
          Self.areOne(orders[$0], lastOrders[$0], sections.orderedBy[$0].equality)
        }
        if !agree { return .error("disagree") }
        parts[parts.count - 1].rows.append(content)
      } else {
        parts.append(Part(id: id, name: name, rows: [content]))
      }
      lastOrders = orders
    }
    for (index, part) in parts.enumerated() {
      if parts[..<index].contains(where: { Self.areOne($0.id, part.id, sections.equality) }) {
        return .error("disagree")
      }
    }
    if sections.including != nil { try include(sections, &parts, c) }
    return .list(parts)
  }

  /// The id of the section of a value.
  static func canonical(_ value: Value, _ equality: OracleSpec.Equality) -> SectionID {
    switch value {
    case .null: return .none
    case .integer(let number): return .integer(number)
    case .real(let number):
      if number >= -9_223_372_036_854_775_808, number < 9_223_372_036_854_775_808, number == number.rounded() {
        return .integer(Int64(number))
      }
      return .real(number)
    case .blob(let bytes): return .blob(bytes)
    case .text(let text):
      switch equality {
      case .binary, .folded: return .text(text)
      case .nocase:
        var bytes = Array(text.utf8)
        let end = bytes.firstIndex(of: 0) ?? bytes.count
        for index in bytes.indices {
          if index >= end { bytes[index] = 0 } else if (65...90).contains(bytes[index]) { bytes[index] += 32 }
        }
        return .text(String(decoding: bytes, as: UTF8.self))
      case .rtrim:
        var bytes = Array(text.utf8)
        while bytes.last == 32 { bytes.removeLast() }
        return .text(String(decoding: bytes, as: UTF8.self))
      }
    }
  }

  private static func areOne(_ left: SectionID, _ right: SectionID, _ equality: OracleSpec.Equality) -> Bool {
    if equality == .folded, case (.text(let left), .text(let right)) = (left, right) {
      return OracleWorld.folded(left).utf8.elementsEqual(OracleWorld.folded(right).utf8)
    }
    return left == right
  }

  // MARK: Sections without rows

  /// The sections whose rows are all outside of the window.
  private func sectionsOutside(
    _ sections: OracleSpec.Sections, _ parts: [Part], _ c: Connection
  ) throws -> [SectionID] {
    if window.isEmpty { return [] }
    var whole = self
    whole.spec.limit = nil
    whole.spec.offset = 0
    let ids = try c.rows(SQL(raw: whole.sql)).map { Self.canonical(try $0["o_value"], sections.equality) }
    return ids.filter { id in !parts.contains { Self.areOne($0.id, id, sections.equality) } }
  }

  private func include(_ sections: OracleSpec.Sections, _ parts: inout [Part], _ c: Connection) throws {
    guard let including = sections.including else { return }
    let rows = try c.rows(SQL(raw: Self.own(including)))
    let hidden = try sectionsOutside(sections, parts, c)
    let all = try rows.map { row in
      let name = try c.value("SELECT CAST(\(try row[row.count > 1 ? 1 : 0] as Value) AS TEXT)", as: String.self)
      return (
        id: Self.canonical(try row[0], sections.equality), name: name ?? "", value: try row[0] as Value,
        orders: try (2..<max(2, row.count)).map { try row[$0] as Value }
      )
    }
    let listed = all.filter { header in !hidden.contains { Self.areOne($0, header.id, sections.equality) } }
    var seen = parts.map(\.id)
    let fresh = listed.filter { header in
      if seen.contains(where: { Self.areOne($0, header.id, sections.equality) }) { return false }
      seen.append(header.id)
      return true
    }
    if fresh.isEmpty { return }
    if !sections.orderedBy.isEmpty, sections.includedColumns <= 2 {
      insertByNeighbours(listed.map(\.id), fresh.map { Part(id: $0.id, name: $0.name, rows: []) }, &parts)
      return
    }
    // SQLite sorts them: those with rows by what their rows say, the others by what they say themselves.
    var selections: [(sql: String, bindings: [Value])] = []
    for (number, header) in fresh.enumerated() {
      let values = header.orders + [header.value]
      let columns = values.indices.map { "? AS c\($0)" }.joined(separator: ", ")
      selections.append(("SELECT \(number) AS n, \(columns)", values))
    }
    let whole = try orderValues(sections, c)
    for (number, values) in whole.enumerated() {
      let columns = values.indices.map { "? AS c\($0)" }.joined(separator: ", ")
      selections.append(("SELECT \(number + fresh.count) AS n, \(columns)", values))
    }
    let suffixes =
      sections.orderedBy.map { term -> String in
        var plain = term
        plain.collation = term.collation ?? .binary
        return plain.suffix
      } + [" COLLATE \(Self.collation(sections.equality))"]
    let order = suffixes.enumerated().map { "c\($0)\($1)" }.joined(separator: ", ")
    let text =
      "SELECT n FROM (" + selections.map(\.sql).joined(separator: " UNION ALL ") + ") ORDER BY " + order
    let numbers = try c.values(SQL(raw: text, bindings: selections.flatMap(\.bindings)), as: Int.self)
    let together = fresh.map { Part(id: $0.id, name: $0.name, rows: []) } + parts
    parts = numbers.map { together[$0] }
  }

  private static func collation(_ equality: OracleSpec.Equality) -> String {
    switch equality {
    case .binary: "BINARY"
    case .nocase: "NOCASE"
    case .rtrim: "RTRIM"
    case .folded: "FOLDED"
    }
  }

  /// What each section with rows is sorted by, in order.
  private func orderValues(_ sections: OracleSpec.Sections, _ c: Connection) throws -> [[Value]] {
    guard case .pieces(let from, let alias, _, let condition) = spec.source else { return [] }
    let expressions = sections.orderedBy.map(\.expression) + [sectionValue(sections)]
    let columns = expressions.enumerated().map { "(\($1)) AS c\($0)" }.joined(separator: ", ")
    let order = (orderTerms + Self.idOrder(alias)).joined(separator: ", ")
    let rows = try c.rows(
      SQL(
        raw:
          "SELECT \(columns) FROM \(from ?? table)\(condition.map { " WHERE \($0)" } ?? "") ORDER BY \(order)\(window)"
      ))
    var result: [[Value]] = []
    var last: SectionID?
    for row in rows {
      let values = try row.values
      let id = Self.canonical(values[values.count - 1], sections.equality)
      if last.map({ Self.areOne($0, id, sections.equality) }) != true { result.append(values) }
      last = id
    }
    return result
  }

  /// Behind the section that precedes it in the SELECT, or where none does, before the first that follows it.
  private func insertByNeighbours(_ listed: [SectionID], _ fresh: [Part], _ parts: inout [Part]) {
    var order: [SectionID] = []
    for id in listed where !order.contains(id) { order.append(id) }
    for part in fresh {
      guard let place = order.firstIndex(of: part.id) else { continue }
      if place > 0, let before = order[..<place].last(where: { id in parts.contains { $0.id == id } }),
        let index = parts.firstIndex(where: { $0.id == before })
      {
        parts.insert(part, at: index + 1)
      } else if let after = order[(place + 1)...].first(where: { id in parts.contains { $0.id == id } }),
        let index = parts.firstIndex(where: { $0.id == after })
      {
        parts.insert(part, at: index)
      } else {
        parts.append(part)
      }
    }
  }
}
