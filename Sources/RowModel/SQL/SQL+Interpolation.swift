extension SQL: ExpressibleByStringInterpolation {
  /// A text without values.
  public init(stringLiteral value: String) { self.init(raw: value) }

  /// A text with interpolated values.
  public init(stringInterpolation: StringInterpolation) { self = stringInterpolation.sql }

  /// Collects the parts of an SQL literal.
  ///
  /// ```swift
  /// let column = "title"
  /// let condition: SQL = "\(identifier: column) LIKE \(word + "%") AND list IN \(ids)"
  /// ```
  public struct StringInterpolation: StringInterpolationProtocol {
    var sql: SQL

    /// Begins a literal.
    public init(literalCapacity: Int, interpolationCount: Int) { sql = .empty }

    /// Appends text from the source code.
    public mutating func appendLiteral(_ literal: String) { sql.append(text: literal) }

    /// Binds a value.
    public mutating func appendInterpolation(_ value: some ValueConvertible) { sql.append(value) }

    /// Binds a value, or NULL for nil.
    public mutating func appendInterpolation<T: ValueConvertible>(_ value: T?) { sql.append(value) }

    /// Binds a value of any storage class, such as `\(.null)`.
    public mutating func appendInterpolation(_ value: Value) { sql.append(value) }

    /// Binds bytes as one blob.
    public mutating func appendInterpolation(_ bytes: [UInt8]) { sql.append(bytes) }

    /// Binds an array as a list in parentheses, for `IN`. An empty array is `()`, which contains nothing.
    public mutating func appendInterpolation<Element: ValueConvertible>(_ list: [Element]) {
      appendList(list)
    }

    /// Binds a set as a list in parentheses, for `IN`.
    public mutating func appendInterpolation<Element: ValueConvertible & Hashable>(_ list: Set<Element>) {
      appendList(Array(list))
    }

    private mutating func appendList(_ list: [some ValueConvertible]) {
      var values: [Value] = []
      values.reserveCapacity(list.count)
      for element in list {
        do {
          values.append(try SQL.stored(element))
        } catch {
          sql.append(element)  // keeps the failure; preparing the statement throws it
          return
        }
      }
      sql.append(list: values)
    }

    /// Inserts another piece of SQL, with its values.
    public mutating func appendInterpolation(_ other: SQL) { sql += other }

    /// Inserts a name in double quotes, so that any name is safe.
    public mutating func appendInterpolation(identifier: String) { sql.append(text: SQL.quoted(identifier)) }

    /// Inserts text as it is. Nothing else does that; never use it for anything a user typed.
    public mutating func appendInterpolation(raw: String) { sql.append(text: raw) }
  }
}
