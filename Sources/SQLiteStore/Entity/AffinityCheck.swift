#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The mapped columns that may store a value as another class than the one that its type reads.
@usableFromInline
struct AffinityCheck<Root> {
  private let columns: [(property: MappedProperty<Root>, affinity: ColumnAffinity, type: String)]

  init(_ mapping: Mapping<Root>, table: String, on connection: Connection) throws {
    let rows = try connection.internalRows(
      """
      SELECT lower(info.name), info.type FROM pragma_table_list AS list, pragma_table_xinfo(list.name, list.schema) AS info
      WHERE lower(list.name) = lower(?1) AND NOT list.strict
        AND list.schema = (SELECT schema FROM pragma_table_list WHERE lower(name) = lower(?1) ORDER BY schema = 'temp' DESC,
          schema = 'main' DESC LIMIT 1)
      """, [.text(table)])
    var types: [String: String] = [:]
    for row in rows { types[try row[0]] = try row[1] as String }
    columns = mapping.columns.compactMap { property in
      guard let type = types[property.name.lowercased()] else { return nil }
      let affinity = ColumnAffinity(declared: type)
      return affinity.mayChange(property.type) ? (property, affinity, type) : nil
    }
  }

  var isEmpty: Bool { columns.isEmpty }

  /// Throws where a value of the entity could not be read again.
  func check(_ entity: Root, table: String, on connection: Connection) throws {
    for (property, affinity, type) in columns {
      let value = property.get(entity)
      // Of a date only one that is stored as a number has to be looked at.
      if let date = value as? Date, DateText.isInRange(date) { continue }
      let stored = try value.databaseValue
      guard let conversion = affinity.conversion(of: stored) else { continue }
      let found = try connection.internalValue("SELECT \(conversion)", [stored])
      do {
        _ = try property.type.canonical(found)
      } catch {
        throw DatabaseError(
          code: .mismatch,
          message: """
            column "\(property.name)" of \(table), declared \(type), would store \(stored) as \(found.storageClass) \(found), \
            which \(property.type) can't read; \(Self.remedy(value, affinity))
            """,
          columns: ["\(table).\(property.name)"])
      }
    }
  }

  private static func remedy(_ value: any ValueConvertible, _ affinity: ColumnAffinity) -> String {
    if value is Date { return "store times of the years 0 to 9999, or declare the column without a type" }
    return affinity == .text ? "declare the column for numbers" : "declare the column TEXT or without a type"
  }
}
