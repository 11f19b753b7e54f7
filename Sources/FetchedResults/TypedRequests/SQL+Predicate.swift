public import SQLiteStore

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension SQL {
  /// A predicate as an SQL condition on an entity's table, which is 1 or 0 and never NULL.
  ///
  /// ```swift
  /// let open = try SQL(#Predicate<Item> { !$0.done && $0.title.contains(word) })
  /// let count = try connection.value("SELECT count(*) FROM item WHERE \(open)", as: Int.self)
  /// ```
  ///
  /// What a predicate may hold: mapped properties; comparisons; `&&`, `||`, `!`; arithmetic of integers and of
  /// `Double`; `nil`, `??`, `?.`, `!`, `if let`; conditionals; ranges; `contains` on captured arrays, sets and ranges, with
  /// or without a closure; `contains` and `starts(with:)` on strings; `isEmpty` of a string, `utf8.count`, the `count` of
  /// bytes, and the `rawValue` of an enumeration that is `CaseIterable`. What is captured is bound, never spliced;
  /// Foundation expects it to be `Codable`.
  ///
  /// Whatever does not depend on the row is worked out in Swift, once, from left to right and only as far as Swift
  /// reaches: `search == nil || $0.name.contains(search!)` is fine, and so is
  /// `divisor != 0 && $0.count > total / divisor`. Where every row would reach a captured part that fails, that is an
  /// error. Chains of `&&` and `||` may have any length.
  ///
  /// The rest has no exact meaning in SQL and is an error that names the expression: casts, regular expressions, the
  /// `count` of a string (SQLite has no grapheme clusters), an order of a type's own making (`<` on an enumeration), a NaN.
  ///
  /// Where SQL and Swift part ways:
  /// - Texts are compared byte by byte, as everywhere in the store, whatever the column's collation. Swift's strings are
  ///   equal also where a letter is written in two ways, and sort by their composed form: keep texts composed (NFC),
  ///   and both agree. `contains` and `starts(with:)` find bytes too, where Swift finds whole characters: `"\r\n"`, one
  ///   character in Swift, contains `"\n"`.
  /// - Values are equal in whichever form they are stored, see `StoredForms`. A text that is no date is an error when
  ///   the query meets it.
  /// - Where Swift would stop at a row (an overflow, a division of integers by zero, `!` on nil), the row is in the
  ///   list or is not, and nothing stops. A division of doubles by -0.0 is one by 0.0.
  ///
  /// - Parameters:
  ///   - predicate: The condition.
  ///   - alias: The name of the table in the query, where it has another one there.
  public init<E: MappedEntity>(_ predicate: Predicate<E>, alias: String? = nil) throws(DatabaseError) {
    self = try Translator(E.self, alias: alias).term(of: predicate).settledValue
  }
}
