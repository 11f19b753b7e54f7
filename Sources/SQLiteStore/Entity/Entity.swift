/// A type that is a row of a table: how to make it from a row, where it is stored, and what identifies it.
///
/// There are three ways to conform. The one to use is `MappedEntity`, which is short, fast and can write. A type that is
/// `Decodable` needs nothing but the table's name, and pays for it with speed. And a hand-written `init(row:)` does
/// whatever you like:
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
  /// The table (or view) that the entity is a row of. One of a file that was attached with ``Database/attach(_:as:)`` is named with
  /// the file's name, as `archive.item`.
  static var table: String { get }
  /// The column that `id` is read from: `id`, unless a type says otherwise or maps `\.id` to another one.
  static var idColumn: String { get }
  /// The column that `id` is read from, or an error where `idColumn` names another one than the mapping does. Don't
  /// implement it.
  static func checkedIDColumn() throws -> String
  /// Makes an instance from a row, or throws when the row does not hold one.
  init(row: Row) throws
}

extension Entity {
  /// `id`.
  public static var idColumn: String { "id" }

  /// The `idColumn`, which nothing contradicts.
  public static func checkedIDColumn() throws -> String { idColumn }
}

extension Entity where Self: Decodable {
  /// Makes an instance by decoding: each property from the column of its coding key's name.
  ///
  /// Types that are `ValueConvertible` are read as such (so a `Date` is what the store makes of it); other properties,
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
/// It gives `init(row:)`, insertions, updates and deletions, and the columns of key paths. It decodes as fast as a loop over
/// the C interface, because the columns' places are looked up once a statement and not once a row.
public protocol MappedEntity: Entity {
  /// The columns and their properties. Declare it `static let`, so that it is made once.
  static var mapping: Mapping<Self> { get }
}

extension MappedEntity {
  /// The column that `\.id` is mapped to; `id` where it is not mapped.
  public static var idColumn: String { mapping.idColumn(of: Self.self) ?? "id" }

  /// The column that `\.id` is mapped to, or an error where `idColumn` names another one.
  public static func checkedIDColumn() throws -> String { try mapping.checkedIDColumn(Self.self) }

  /// Makes an instance from the mapped columns, wherever they stand in the row.
  @inlinable
  public init(row: Row) throws { self = try Self.mapping.decode(row) }
}

extension MappedEntity where Self: Decodable {
  /// Makes an instance from the mapped columns: where a type has both, the mapping is what counts.
  @inlinable
  public init(row: Row) throws { self = try Self.mapping.decode(row) }
}
