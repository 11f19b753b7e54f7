extension SQL: ExpressibleByStringInterpolation {
  /// A text without values.
  public init(stringLiteral value: String) { self.init(raw: value) }

  /// A text with what was interpolated.
  public init(stringInterpolation: StringInterpolation) { self = stringInterpolation.sql }

  /// Collects the parts of an SQL literal.
  public struct StringInterpolation: StringInterpolationProtocol {
    var sql: SQL

    /// Begins a literal.
    public init(literalCapacity: Int, interpolationCount: Int) { sql = .empty }

    /// Takes text that stands in the source code.
    public mutating func appendLiteral(_ literal: String) { sql.append(text: literal) }

    /// Binds a value.
    public mutating func appendInterpolation(_ value: some ValueConvertible) { sql.append(value) }

    /// Binds a value, or NULL for nil.
    public mutating func appendInterpolation<T: ValueConvertible>(_ value: T?) { sql.append(value) }

    /// Binds a value of whichever storage class, as `\(.null)`.
    public mutating func appendInterpolation(_ value: Value) { sql.append(value) }

    /// Binds bytes as one blob.
    public mutating func appendInterpolation(_ bytes: [UInt8]) { sql.append(bytes) }

    /// Binds an array as a list in parentheses, for `IN`. An empty one is `()`, which nothing is in.
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
          sql.append(element)  // keeps the failure, for whoever prepares the statement
          return
        }
      }
      sql.append(list: values)
    }

    /// Puts another piece of SQL in place, with its values.
    public mutating func appendInterpolation(_ other: SQL) { sql += other }

    /// Puts a name in place, in double quotes, so that any name is safe.
    public mutating func appendInterpolation(identifier: String) { sql.append(text: SQL.quoted(identifier)) }

    /// Splices text as it stands: the only way to do so, and never for anything a user typed.
    public mutating func appendInterpolation(raw: String) { sql.append(text: raw) }
  }
}
