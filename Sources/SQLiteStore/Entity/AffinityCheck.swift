#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The mapped columns that may store another value than the one that is written.
@usableFromInline
struct AffinityCheck<Root> {
  private struct Checked {
    let property: MappedProperty<Root>
    let column: EntityTable.Column
    /// Whether the column's affinity, and not only the type, may change the value.
    let mayChange: Bool
  }

  private let columns: [Checked]

  init(_ mapping: Mapping<Root>, _ table: EntityTable) {
    columns = mapping.columns.compactMap { property in
      guard let column = table.column(property.name), !column.isGenerated else { return nil }
      let mayChange = column.affinity.mayChange(property.type)
      guard mayChange || column.isNeverNull || !(property.type is any NeverNull.Type) else { return nil }
      return Checked(property: property, column: column, mayChange: mayChange)
    }
  }

  var isEmpty: Bool { columns.isEmpty }

  /// Throws if a value of the entity would be read back as a different one.
  ///
  /// - Parameters:
  ///   - value: The value of a column; nil for one that is not written.
  ///   - present: The value that a column has now, if it is kept where the type reads the new value from it.
  func check(
    table: String, on connection: Connection, value: (MappedProperty<Root>) -> (any ValueConvertible)?,
    present: (_ column: String) throws -> Value? = { _ in nil }
  ) throws {
    for checked in columns {
      guard let value = value(checked.property) else { continue }
      // A date needs a check only if it is stored as a number.
      if let date = value as? Date, DateText.isInRange(date) { continue }
      let stored = try value.databaseValue
      let found: Value
      if stored.isNull {
        if checked.column.isNeverNull {
          let name = "\(table).\(checked.property.name)"
          throw DatabaseError(
            code: .constraintNotNull, message: "NOT NULL constraint failed: \(name)", columns: [name])
        }
        if let optional = value as? any AnyOptionalValue, optional.wrappedValue == nil { continue }
        found = .null
      } else {
        guard checked.mayChange,
          let converted = try checked.column.affinity.converted(stored, on: connection)
        else { continue }
        found = converted
      }
      var problem: String?
      do {
        if try !Self.isSame(checked.property.type, value, found) {
          problem = "\(checked.property.type) reads as another value"
        }
      } catch {
        problem = "\(checked.property.type) can't read"
      }
      guard let problem else { continue }
      let name = checked.property.name
      if checked.property.type.storedForms != .one, let present = try present(name),
        (try? checked.property.type.canonical(present)) == stored
      {
        continue
      }
      let declaration =
        checked.column.declaredType.isEmpty ? "declared without a type" : "declared \(checked.column.declaredType)"
      let change =
        stored.isNull ? "a value as NULL" : "\(stored) as \(found.storageClass) \(found)"
      throw DatabaseError(
        code: .mismatch,
        message: """
          column "\(name)" of \(table), \(declaration), would store \(change), which \(problem); \
          \(Self.remedy(value, stored, checked.column.affinity))
          """,
        columns: ["\(table).\(name)"])
    }
  }

  /// Whether the value that is read back is the value that was written.
  private static func isSame<T: ValueConvertible>(
    _: T.Type, _ value: any ValueConvertible, _ found: Value
  ) throws -> Bool {
    let back = try T(databaseValue: found)
    guard let value = value as? T else { return true }
    if let back = back as? any Equatable { return areEqual(back, value) }
    return try back.databaseValue == value.databaseValue
  }

  private static func areEqual<T: Equatable>(_ left: T, _ right: Any) -> Bool { left == right as? T }

  private static func remedy(_ value: any ValueConvertible, _ stored: Value, _ affinity: ColumnAffinity) -> String {
    if stored.isNull { return "give it a value of its own" }
    if value is Date { return "store times of the years 0 to 9999, or declare the column without a type" }
    return affinity == .text ? "declare the column for numbers" : "declare the column TEXT or without a type"
  }
}

/// A type whose values are never stored as NULL, except nil.
private protocol NeverNull {}
extension Int: NeverNull {}
extension Int64: NeverNull {}
extension Int32: NeverNull {}
extension Int16: NeverNull {}
extension Int8: NeverNull {}
extension UInt: NeverNull {}
extension UInt64: NeverNull {}
extension UInt32: NeverNull {}
extension UInt16: NeverNull {}
extension UInt8: NeverNull {}
extension Bool: NeverNull {}
extension Double: NeverNull {}
extension Float: NeverNull {}
extension String: NeverNull {}
extension Array: NeverNull where Element == UInt8 {}
extension Data: NeverNull {}
extension UUID: NeverNull {}
extension Date: NeverNull {}
extension JSONColumn: NeverNull {}
extension Optional: NeverNull where Wrapped: NeverNull {}
