import FetchedResultsSupport

/// A row of a result.
///
/// Read its columns by name or by position, as the type you want:
///
/// ```swift
/// let title: String = try row["title"]
/// let due = try row[3] as Date?
/// ```
///
/// A column that is missing or holds something else is a `DatabaseError` that names the column, the expected type and
/// the value found. Reading by position is fastest; by name costs a search among the names.
///
/// A row that you receive while the result is being read (in `forEach`, or in an entity's `init(row:)`) is a window on
/// it: keep `row.copied()`, not the row. Reading from a row that was kept throws.
public struct Row {
  // A window owns nothing, because reference counting would cost a tenth of reading the row. It records which step of
  // its statement it belongs to, and checks that before it touches the statement.
  @usableFromInline let source: UnsafeMutablePointer<EngineStatement>?  // because `step` is checked before every use
  @usableFromInline let step: StepCell.Stamp
  @usableFromInline let copy: RowCopy?

  @inlinable @inline(__always)
  package init(_ statement: UnsafeMutablePointer<EngineStatement>) {
    source = statement
    step = statement.pointee.cell.stamp
    copy = nil
  }

  package init(_ copy: RowCopy) {
    source = nil
    step = .none
    self.copy = copy
  }

  /// The engine's statement, while the row is its current one.
  private var statement: UnsafeMutablePointer<EngineStatement>? { step.isCurrent ? source : nil }

  private var owner: (any EngineStatementOwner)? { statement?.pointee.owner }

  /// The text of the statement.
  var sql: String? { owner?.sql ?? copy?.sql }

  /// Creates a row from values, for tests and for sources other than databases.
  public init(columns: [String], values: [Value]) {
    require(columns.count == values.count, "\(columns.count) columns, but \(values.count) values")
    self.init(RowCopy(names: columns, values: values, sql: nil))
  }

  /// The names of the columns, in order.
  public var columnNames: [String] {
    guard let names = owner?.currentNames else { return copy?.names ?? [] }
    return count < names.count ? Array(names.prefix(count)) : names
  }

  /// The number of columns.
  public var count: Int {
    if let statement { return Int(statement.pointee.columnCount) }
    return copy?.values.count ?? 0
  }

  /// All values, in order.
  public var values: [Value] {
    get throws { try (0..<count).map { try read(at: $0) } }
  }

  /// Returns the row with its values, which you can keep.
  ///
  /// ```swift
  /// var first: Row?
  /// try connection.forEach("SELECT * FROM item") { row in if first == nil { first = try row.copied() } }
  /// ```
  public func copied() throws -> sending Row { Row(try copiedValues()) }

  /// The same, in a form that can be sent anywhere.
  package func copiedValues() throws -> RowCopy {
    if let copy { return copy }
    guard let owner else { throw outlived() }
    return RowCopy(names: columnNames, values: try values, sql: owner.sql)
  }

  /// The column at a position, from 0.
  @inlinable
  public subscript<T: ValueConvertible>(_ index: Int) -> T {
    get throws { try read(at: index) }
  }

  /// The column with a name; the first one if several have it.
  @inlinable
  public subscript<T: ValueConvertible>(_ name: String) -> T {
    get throws { try read(at: index(of: name)) }
  }

  /// Whether there is a column with that name.
  ///
  /// ```swift
  /// let number: Int? = row.hasColumn("number") ? try row["number"] : nil
  /// ```
  public func hasColumn(_ name: String) -> Bool { position(of: name) != nil }

  /// Returns the position of the column with a name.
  ///
  /// ```swift
  /// let place = try row.index(of: "title")
  /// let title: String = try row[place]
  /// ```
  public func index(of name: String) throws -> Int {
    guard let index = position(of: name) else {
      if source != nil, !step.isCurrent { throw outlived() }
      throw DatabaseError(
        code: .error,
        message: "there is no column \"\(name)\"; the columns are \(columnNames.joined(separator: ", "))",
        sql: sql, columns: [name])
    }
    return index
  }

  private func position(of name: String) -> Int? {
    guard let owner else { return copy?.index(of: name) }
    return owner.index(of: name).flatMap { $0 < count ? $0 : nil }
  }

  @inlinable @inline(__always)
  package func read<T: ValueConvertible>(at index: Int, as: T.Type = T.self) throws -> T {
    guard let source else { return try readCopy(at: index) }
    guard step.isCurrent else { throw outlived() }
    guard index >= 0, index < source.pointee.dataCount else { throw outOfRange(index) }
    return try T.read(Column(statement: source, index: Int32(truncatingIfNeeded: index)))
  }

  @usableFromInline
  func readCopy<T: ValueConvertible>(at index: Int) throws -> T {
    guard let copy, copy.values.indices.contains(index) else { throw outOfRange(index) }
    do {
      return try T(databaseValue: copy.values[index])
    } catch let error as DatabaseError where error.code == .mismatch && error.columns.isEmpty {
      throw DatabaseError(
        code: .mismatch, message: "column \"\(copy.names[index])\": \(error.message)", sql: copy.sql,
        columns: [copy.names[index]])
    }
  }

  @usableFromInline @inline(never)
  func outlived() -> DatabaseError {
    .misuse("the row was used after the result moved on; keep `row.copied()` instead")
  }

  @usableFromInline @inline(never)
  func outOfRange(_ index: Int) -> DatabaseError {
    DatabaseError(
      code: .range, message: "there is no column number \(index); the row has \(count), counted from 0",
      sql: sql)
  }
}

/// The values of a row, apart from its statement.
@usableFromInline
package final class RowCopy: Sendable {
  @usableFromInline let names: [String]
  @usableFromInline let values: [Value]
  let sql: String?

  init(names: [String], values: [Value], sql: String?) {
    self.names = names
    self.values = values
    self.sql = sql
  }

  func index(of name: String) -> Int? {
    names.firstIndex { $0.hasSameBytes(as: name) } ?? names.firstIndex { $0.isSameName(as: name) }
  }
}

extension Row: CustomStringConvertible {
  /// The columns with their values.
  public var description: String {
    let names = columnNames
    let shown = names.indices.map { index in
      do {
        return "\(names[index]): \(try read(at: index, as: Value.self))"
      } catch {
        return "\(names[index]): ?"
      }
    }
    return "[\(shown.joined(separator: ", "))]"
  }
}
