import FetchedResultsCore
public import RowModel

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension SQL {
  /// Creates an SQL condition on an entity's table from a predicate. It is 1 or 0, never NULL.
  ///
  /// ```swift
  /// let open = try SQL(#Predicate<Item> { !$0.done && $0.title.contains(word) })
  /// let count = try connection.value("SELECT count(*) FROM item WHERE \(open)", as: Int.self)
  /// ```
  ///
  /// A predicate may contain: mapped properties; comparisons; `&&`, `||`, `!`; arithmetic of integers and of `Double`;
  /// `nil`, `??`, `?.`, `!`, `if let`; conditionals; ranges; `contains` on captured arrays, sets and ranges, with or
  /// without a closure; `contains` and `starts(with:)` on strings; `isEmpty` of a string, `utf8.count`, the `count` of
  /// bytes, and the `rawValue` of an enumeration that is `CaseIterable`. Captured values are bound, never inserted as
  /// text; Foundation requires them to be `Codable`.
  ///
  /// What does not depend on the row is evaluated in Swift, once, from left to right and only if Swift would reach it:
  /// `search == nil || $0.name.contains(search!)` is fine, and so is `divisor != 0 && $0.count > total / divisor`. A
  /// captured part that fails and that every row would reach is an error. Chains of `&&` and `||` may have any length.
  ///
  /// Everything else has no exact meaning in SQL and is an error that names the expression: casts, regular expressions,
  /// the `count` of a string (SQLite has no grapheme clusters), an order that a type defines itself (`<` on an
  /// enumeration), a NaN. Such a request can have its condition in SQL: a search that ignores the case of ASCII letters
  /// is `where: "title LIKE \("%" + word + "%")"`.
  ///
  /// Where SQL and Swift differ:
  /// - Texts are compared byte by byte, as everywhere in the store, whatever the column's collation. Swift's strings
  ///   are also equal if a letter is composed in different ways, and sort by their composed form: keep texts composed
  ///   (NFC), and both agree. `contains` and `starts(with:)` search for bytes, and in Swift for whole characters:
  ///   `"\r\n"`, one character in Swift, contains `"\n"` here.
  /// - Values are equal whatever form they are stored in, see `StoredForms`. A text that is no date is an error when
  ///   the query reads it.
  /// - Where Swift would stop the program at a row (an overflow, a division of integers by zero, `!` on nil), the row
  ///   may or may not be in the list, and the program continues. A division of doubles by -0.0 is one by 0.0.
  ///
  /// - Parameters:
  ///   - predicate: The condition.
  ///   - alias: The name of the table in the query, if it has another one there.
  public init<E: MappedEntity>(_ predicate: Predicate<E>, alias: String? = nil) throws(DatabaseError) {
    self = try Translator(E.self, alias: alias).term(of: predicate).settledValue
  }
}

/// Translates the predicate of a request to SQLite's SQL.
package struct ConditionTranslator: PredicateTranslator {
  package init() {}

  package func condition<E: MappedEntity>(of predicate: Predicate<E>) throws(DatabaseError) -> SQL {
    // In a WHERE, NULL means false, and without a COALESCE around the condition an index can be used.
    try Translator(E.self, alias: nil).term(of: predicate).truth
  }
}
