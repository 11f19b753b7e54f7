/// A type that represents a row of a table: how to create it from a row, where it is stored, and what identifies it.
///
/// There are three ways to conform. Prefer `MappedEntity`, which is short, fast and can write. A `Decodable` type needs
/// only the table's name, but is slower. A hand-written `init(row:)` can do anything:
///
/// ```swift
/// struct Item: Entity {
///   static let table = "item"
///   var id: Int64
///   var title: String
///   init(row: Row) throws {
///     id = try row["id"]
///     title = try row["title"]
///   }
/// }
/// ```
public protocol Entity: Identifiable, Sendable where ID: ValueConvertible {
  /// The table (or view) of the entity. Name a table of a file that was attached with `Database.attach(_:as:)` with the
  /// file's name, such as `archive.item`.
  static var table: String { get }
  /// The column of `id`: `id`, unless the type declares another one or maps `\.id` to another one.
  static var idColumn: String { get }
  /// The column of `id`, or an error if `idColumn` contradicts the mapping. Don't implement it.
  static func checkedIDColumn() throws -> String
  /// Creates an instance from a row; throws if the row does not hold one.
  init(row: Row) throws
}

extension Entity {
  /// `id`.
  public static var idColumn: String { "id" }

  /// The `idColumn`; there is no mapping that could contradict it.
  public static func checkedIDColumn() throws -> String { idColumn }
}

extension Entity where Self: Decodable {
  /// Creates an instance by decoding: each property from the column with its coding key's name.
  ///
  /// Types that are `ValueConvertible` are read as such (so a `Date` is read in the store's forms). Other properties,
  /// such as arrays and nested types, are read as JSON.
  public init(row: Row) throws {
    self = try RowDecoder.decode(Self.self, from: row)
    try RowDecoder.checkID(of: self, in: row)
  }
}

/// An entity with a mapping between its columns and its properties: the recommended kind.
///
/// ```swift
/// struct Item: MappedEntity {
///   static let table = "item"
///   static let mapping = Mapping(Item.init, ("id", \.id), ("title", \.title), ("done", \.done))
///   var id: Int64
///   var title: String
///   var done: Bool
/// }
/// ```
///
/// It provides `init(row:)`, insertions, updates and deletions, and the columns of key paths. It decodes as fast as a
/// loop over the C interface, because the columns' positions are looked up once for each statement, not for each row.
public protocol MappedEntity: Entity {
  /// The columns and their properties. Declare it as `static let`, so that it is created once.
  static var mapping: Mapping<Self> { get }
}

extension MappedEntity {
  /// The column that `\.id` is mapped to; `id` if it is not mapped.
  public static var idColumn: String { mapping.idColumn(of: Self.self) ?? "id" }

  /// The column that `\.id` is mapped to, or an error if `idColumn` names another one.
  public static func checkedIDColumn() throws -> String { try mapping.checkedIDColumn(Self.self) }

  /// Creates an instance from the mapped columns, at any position in the row.
  @inlinable
  public init(row: Row) throws { self = try Self.mapping.decode(row) }
}

extension MappedEntity where Self: Decodable {
  /// Creates an instance from the mapped columns: if a type is also `Decodable`, the mapping is used.
  @inlinable
  public init(row: Row) throws { self = try Self.mapping.decode(row) }
}
