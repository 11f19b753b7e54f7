/// The statements that write one kind of entity through one connection, made when first needed.
@usableFromInline
final class EntityStatements {
  let table: String
  let idColumn: String
  let columnNames: [String]
  @usableFromInline let owner: AnyObject
  @usableFromInline var insert: Statement?
  @usableFromInline var upsert: Statement?
  @usableFromInline var update: Statement?
  /// An `AffinityCheck` of the entity, where there is a column to look at.
  @usableFromInline var check: Any?
  /// Whether ids are texts that a collation might take for others.
  let comparesBytes: Bool
  /// Whether the schema lets an id stand only once, so that one in another form is a conflict too.
  var isIDUnique = false

  init(table: String, idColumn: String, columnNames: [String], comparesBytes: Bool, owner: AnyObject) {
    self.table = table
    self.idColumn = idColumn
    self.columnNames = columnNames
    self.comparesBytes = comparesBytes
    self.owner = owner
  }

  @usableFromInline
  enum Kind {
    case insert, upsert, update
  }

  private var quotedColumns: String { columnNames.map(SQL.quoted).joined(separator: ", ") }

  func sql(_ kind: Kind) -> String {
    let places = columnNames.indices.map { "?\($0 + 1)" }.joined(separator: ", ")
    let insertion = "INSERT INTO \(SQL.quoted(table)) (\(quotedColumns)) VALUES (\(places))"
    let others = columnNames.enumerated().filter { $0.element != idColumn }
    switch kind {
    case .insert:
      return insertion
    case .upsert:
      let assignments = others.map { "\(SQL.quoted($0.element)) = excluded.\(SQL.quoted($0.element))" }
      let action = assignments.isEmpty ? "NOTHING" : "UPDATE SET \(assignments.joined(separator: ", "))"
      let condition =
        comparesBytes && !assignments.isEmpty
        ? " WHERE \(SQL.quoted(table)).\(SQL.quoted(idColumn)) = excluded.\(SQL.quoted(idColumn)) COLLATE BINARY" : ""
      return insertion + " ON CONFLICT (\(SQL.quoted(idColumn))) DO \(action)\(condition)"
    case .update:
      let id = (columnNames.firstIndex(of: idColumn) ?? 0) + 1
      // With nothing but an id there is nothing to set; setting the id to itself still says whether the row is there.
      let set =
        others.isEmpty
        ? "\(SQL.quoted(idColumn)) = ?\(id)"
        : others.map { "\(SQL.quoted($0.element)) = ?\($0.offset + 1)" }.joined(separator: ", ")
      let bytes = comparesBytes ? " AND \(SQL.quoted(idColumn)) = ?\(id) COLLATE BINARY" : ""
      return "UPDATE \(SQL.quoted(table)) SET \(set) WHERE \(SQL.quoted(idColumn)) = ?\(id)\(bytes)"
    }
  }

  var returning: String { quotedColumns }
}
