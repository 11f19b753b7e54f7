import CFetchedResultsSQLite
import FetchedResultsCore
import RowModel
import SQLiteStore

// The terms that rows and sections are sorted by.
extension QueryPlanner {
  func order(_ composition: inout Composition, _ plan: inout QueryPlan) throws {
    try checkTerms()
    var terms: [(OrderTerm, isSection: Bool)] = []
    if let section = request.sectionBy {
      terms += section.orderedBy.map { ($0, false) }
      terms.append((OrderTerm(sectionValue(section)), true))
      plan.order.sectionOrderParts = section.orderedBy.count
      plan.order.hasSections = true
    }
    terms += request.orderBy.map { ($0, false) }
    let scope = scope(of: composition)
    for index in terms.indices { terms[index].0.expression = expandingSelections(terms[index].0.expression, scope) }
    let id = SQL(raw: "\(outerAlias(composition))\(SQL.quoted(entity.idColumn))")
    terms.append((OrderTerm(id), false))
    let encoding = encoding
    var failed: NotUnderstood?
    func collation(of term: OrderTerm) throws -> String {
      do {
        return try term.collation?.name ?? probe.collation(of: term.expression, from: scope)
      } catch let notUnderstood as NotUnderstood {
        failed = notUnderstood
        return "BINARY"
      }
    }
    // Ids that are equal by their collation are ordered by their bytes.
    if try collation(of: OrderTerm(id)) != "BINARY" { terms.append((OrderTerm(id, collation: .binary), false)) }
    for (term, isSection) in terms {
      let collation = try collation(of: term)
      let isDescending = term.direction == .descending
      let isNullLast = term.nulls.map { ($0 == .last) != isDescending } ?? false
      let text: KeyOrder.Part.Text =
        switch collation.asciiUppercased {
        case "BINARY": encoding == "UTF-8" ? .bytes : .utf16(isBigEndian: encoding == "UTF-16be")
        case "FRC_UTF8": .bytes
        case "NOCASE": .nocase
        case "RTRIM": .rtrim
        default: .asked(collation)
        }
      plan.order.parts.append(.init(text: text, isDescending: isDescending, isNullLast: isNullLast))
      // In UTF-8 SQLite itself compares that way, and an index can be used.
      let isByUTF8 = encoding == "UTF-8" && term.collation == .named("frc_utf8")
      let collating = term.collation.map { " COLLATE \(SQL.quoted(isByUTF8 ? "BINARY" : $0.name))" } ?? ""
      var suffix = collating
      if isDescending { suffix += " DESC" }
      if let nulls = term.nulls { suffix += nulls == .first ? " NULLS FIRST" : " NULLS LAST" }
      composition.terms.append(
        .init(
          expression: term.expression, selected: selectedColumn(term.expression, composition), suffix: suffix,
          collation: collating))
      if isSection {
        plan.isNameOfID = text == .bytes && request.sectionBy?.name == nil && request.sectionBy?.function == nil
      }
    }
    composition.name = request.sectionBy?.name.map { expandingSelections($0, scope) }
    if let failed { throw failed }
  }

  /// A term in which the names of selected expressions stand for those, as SQLite allows in conditions. A name that a
  /// column has means the column.
  private func expandingSelections(_ term: SQL, _ scope: SQL) -> SQL {
    guard case .pieces(_, let select, _) = request.source, !select.isEmpty else { return term }
    let tokens = SQLTokens(term)
    func selection(_ token: SQLTokens.Token) -> RequestSource.Selection? {
      guard let name = token.plainName, let selection = select.first(where: { $0.name.isSameName(as: name) }),
        // Quotes around a name that no column has would make it a text.
        !probe.compiles(SQL(raw: "SELECT [\(name)] FROM ") + scope)
      else { return nil }
      return selection
    }
    // The collation of a column is that of the term only without parentheses.
    if tokens.tokens.count == 1 { return tokens.tokens.first.flatMap(selection)?.expression ?? term }
    func compiles(_ sql: SQL) -> Bool { probe.compiles(SQL(raw: "SELECT (\(sql.text)\n) FROM ") + scope) }
    // In a subquery a name may mean a column of another table.
    guard !tokens.contains(word: "SELECT"), !compiles(term) else { return term }
    var expanded = SQL.empty
    var end = 0
    for (index, token) in tokens.tokens.enumerated() {
      let (before, after) = (index > 0 ? tokens.tokens[index - 1] : nil, tokens.tokens.dropFirst(index + 1).first)
      if before?.isMark(".") == true || after?.isMark(".") == true || after?.isMark("(") == true { continue }
      // An unquoted keyword is one, whatever is selected by that name.
      if case .word(let word) = token.kind, sqlite3_keyword_check(word, Int32(word.utf8.count)) != 0 { continue }
      guard let selection = selection(token), let part = tokens.part(end..<token.range.lowerBound) else { continue }
      expanded += part + SQL(raw: "(") + selection.expression + SQL(raw: "\n)")
      end = token.range.upperBound
    }
    guard let rest = tokens.part(end..<tokens.bytes.count) else { return term }
    expanded += rest
    // If it is wrong for another reason, the error is about what was written.
    return compiles(expanded) ? expanded : term
  }

  /// Refuses terms that are the same for every row. A section may be a literal, such as `'All'`.
  private func checkTerms() throws {
    let isLiteral = request.sectionBy.map { $0.value.bindings.isEmpty } ?? false
    for sql in request.terms.dropFirst(isLiteral ? 1 : 0) where probe.compiles(SQL(raw: "SELECT (\(sql.text)\n)")) {
      throw DatabaseError(
        code: .misuse,
        message: "the term \"\(sql)\" has no column, so it is the same for every row; write a column's name that is "
          + "known only when the program runs as \\(identifier: name)", sql: sql.text)
    }
  }

  private func sectionValue(_ section: SectionTerm) -> SQL {
    guard let function = section.function else { return section.value }
    return SQL(raw: "\(sectionFunction)(\(SectionFunctions.token(of: function)), ") + section.value + SQL(raw: "\n)")
  }

  /// The prefix of the id column's name.
  func outerAlias(_ composition: Composition) -> String {
    if let wrapper = composition.wrapper { return SQL.quoted(wrapper.alias) + "." }
    switch request.source {
    case .pieces: return SQL.quoted(FromClause.firstAlias(composition.from) ?? SQL.unqualified(entity.table)) + "."
    case .statement: return SQL.quoted(Self.wholeAlias) + "."
    }
  }

  /// A FROM clause in which the terms can be evaluated.
  func scope(of composition: Composition) -> SQL {
    guard let wrapper = composition.wrapper else { return composition.from }
    var inner = SQL(raw: "(SELECT ") + composition.columns + SQL(raw: " FROM ") + composition.from
    if let condition = composition.condition { inner += SQL(raw: "\nWHERE ") + condition }
    return inner + SQL(raw: "\n) AS \(SQL.quoted(wrapper.alias))")
  }

  /// The selected column that is equal to a term, if it is one of the entity's own.
  private func selectedColumn(_ expression: SQL, _ composition: Composition) -> Int? {
    guard composition.wrapper == nil, let columns = entity.columns else { return nil }
    let clause: FromClause
    do {
      clause = try FromClause(composition.from)
    } catch {
      return nil  // It is computed again, which costs a little and changes nothing.
    }
    var names: [String] = []
    for token in SQLTokens(expression).tokens {
      switch token.kind {
      case .word(let word): names.append(word)
      case .quoted(let name): names.append(name.asciiUppercased)
      case .mark(UInt8(ascii: ".")): continue
      default: return nil
      }
    }
    let isQualified = names.count == 2 && names[0] == clause.sources[0].alias.asciiUppercased
    guard let name = names.last, isQualified || names.count == 1 && clause.sources.count == 1 else { return nil }
    // A term of the order that is only a name means a selection, if there is one with that name.
    if case .pieces(_, let select, _) = request.source, select.contains(where: { $0.name.asciiUppercased == name }) {
      return nil
    }
    return columns.firstIndex { $0.asciiUppercased == name }
  }
}
