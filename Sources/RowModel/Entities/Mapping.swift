import FetchedResultsSupport

/// The columns of an entity and the properties that hold them.
///
/// ```swift
/// struct Note: MappedEntity {
///   static let table = "note"
///   static let mapping = Mapping(Note.init, ("id", \.id), ("text", \.text))
///   var id: Int64
///   var text: String
/// }
/// ```
///
/// `Mapping(Item.init, ("id", \.id), ("title", \.title))` pairs each parameter of `init`, in order, with a column and
/// the property that it sets. That is enough to decode rows, to encode for writes, and to name the column of a key
/// path. The compiler checks the types. It can't check which of two columns of the same type belongs to which
/// parameter: if columns are swapped, decoding a row throws an error that names them.
///
/// Decoding costs as much as reading the columns. When a statement is first read, the columns' positions in it are
/// found by name; from then on they are read by position.
public final class Mapping<Root>: Sendable {
  /// A column's name and its property.
  public typealias MappedColumn<T> = (String, any KeyPath<Root, T> & Sendable)

  /// The names of the columns, in the order of the initializer's parameters.
  public let columnNames: [String]
  @usableFromInline package let columns: [MappedProperty<Root>]
  @usableFromInline let make: @Sendable (ColumnReader) throws -> Root
  @usableFromInline package let bind: @Sendable (borrowing Root, UnsafeMutablePointer<EngineStatement>) throws -> Void
  let proof: MappingProof<Root>
  /// The column that `\.id` is mapped to, looked up once.
  let idCache = Guarded<String??>(nil)

  /// Maps any number of columns.
  @inlinable
  public convenience init<each T: ValueConvertible>(
    _ make: @escaping @Sendable (repeat each T) -> Root, _ columns: repeat MappedColumn<each T>
  ) {
    var mapped: [MappedProperty<Root>] = []
    var binders: [@Sendable (borrowing Root, UnsafeMutablePointer<EngineStatement>, Int32) throws -> Void] = []
    for column in repeat each columns {
      let property = Property(column)
      mapped.append(property.column)
      binders.append { root, statement, index in try property.bind(root, to: statement, index) }
    }
    self.init(columns: mapped) { reader in
      var position = 0
      func next<C: ValueConvertible>(_: C.Type) throws -> C {
        defer { position += 1 }
        return try reader.read(position)
      }
      return make(repeat try next((each T).self))
    } bind: { [binders] root, statement in
      for index in binders.indices { try binders[index](root, statement, Int32(truncatingIfNeeded: index &+ 1)) }
    }
  }

  @usableFromInline
  init(
    columns: [MappedProperty<Root>], make: @escaping @Sendable (ColumnReader) throws -> Root,
    bind: @escaping @Sendable (borrowing Root, UnsafeMutablePointer<EngineStatement>) throws -> Void
  ) {
    self.columns = columns
    self.make = make
    self.bind = bind
    columnNames = columns.map(\.name)
    proof = MappingProof(columns)
    require(
      Set(columnNames).count == columnNames.count, "a mapping of \(Root.self) names a column twice: \(columnNames)")
  }

  /// The column of a property, or nil if it is not mapped.
  ///
  /// ```swift
  /// let name = Item.mapping.column(of: \Item.title)  // "title"
  /// ```
  public func column(of keyPath: PartialKeyPath<Root>) -> String? {
    columns.first { $0.keyPath == keyPath }?.name
  }

  /// The property of a column.
  package func keyPath(of name: String) -> PartialKeyPath<Root>? { columns.first { $0.name == name }?.keyPath }

  /// The mapped columns as SQL for a SELECT, with the prefix of a table's name or alias if you pass one.
  ///
  /// ```swift
  /// let items = try connection.entities("SELECT \(Item.mapping.selection(of: "i")) FROM item AS i", of: Item.self)
  /// ```
  public func selection(of alias: String? = nil) -> SQL {
    let prefix = alias.map { SQL.quoted($0) + "." } ?? ""
    return SQL(raw: columnNames.map { prefix + SQL.quoted($0) }.joined(separator: ", "))
  }

  /// The columns in which two entities are stored with other values, by the bits of their indices. The last bit stands
  /// for all columns from the 64th on.
  package func differences(_ left: Root, _ right: Root) throws -> UInt64 {
    try columns.withUnsafeBufferPointer { columns in
      var bits: UInt64 = 0
      for index in columns.indices where try !columns[index].isSame(left, right) {
        bits |= 1 << UInt64(min(index, 63))
      }
      return bits
    }
  }

  /// Binds some columns, by the bits of their indices, to the first parameters. Returns how many these are.
  package func bind(_ bits: UInt64, of root: Root, to statement: UnsafeMutablePointer<EngineStatement>) throws -> Int32
  {
    try columns.withUnsafeBufferPointer { columns in
      var (rest, count) = (bits, Int32(0))
      while rest != 0 {
        count += 1
        try columns[rest.trailingZeroBitCount].bind(root, statement, count)
        rest &= rest - 1
      }
      return count
    }
  }

  /// Decodes a row.
  @inlinable @inline(__always)
  public func decode(_ row: Row) throws -> Root {
    guard let source = row.source else { return try decodeCopy(row) }
    guard row.step.isCurrent else { throw row.outlived() }
    if source.pointee.plan.address != UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque()) {
      try findColumns(of: source, row)
      let made = try make(ColumnReader(statement: source, indices: source.pointee.plan.indices))
      try prove(made, source, row)
      return made
    }
    return try make(ColumnReader(statement: source, indices: source.pointee.plan.indices))
  }

  /// Finds the positions of the columns in a statement's result, or confirms those found before.
  @usableFromInline @inline(never)
  func findColumns(of statement: UnsafeMutablePointer<EngineStatement>, _ row: Row) throws {
    let now = statement.pointee.preparations
    if statement.pointee.plan.resume(for: self, now) { return }
    let indices = try columnNames.map { Int32(try row.index(of: $0)) }
    let isInOrder = indices.enumerated().allSatisfy { $0.offset == Int($0.element) }
    statement.pointee.plan.set(self, isInOrder ? nil : indices, now)
  }

  @usableFromInline @inline(never)
  func decodeCopy(_ row: Row) throws -> Root {
    let made = try decodeUnproved(row)
    try prove(made, row)
    return made
  }

  func decodeUnproved(_ row: Row) throws -> Root {
    let indices = try columnNames.map { Int32(try row.index(of: $0)) }
    return try indices.withUnsafeBufferPointer { indices in
      try withExtendedLifetime(row.copy) {
        try make(ColumnReader(copy: row.copy, indices: indices.baseAddress))
      }
    }
  }
}

/// A mapped property, with its type erased.
@usableFromInline
package struct MappedProperty<Root>: Sendable {
  @usableFromInline package let name: String
  @usableFromInline let keyPath: any PartialKeyPath<Root> & Sendable
  @usableFromInline package let type: any ValueConvertible.Type
  @usableFromInline package let get: @Sendable (borrowing Root) -> any ValueConvertible
  /// Whether two entities are stored with the same value.
  @usableFromInline package let isSame: @Sendable (Root, Root) throws -> Bool
  @usableFromInline
  package let bind: @Sendable (borrowing Root, UnsafeMutablePointer<EngineStatement>, Int32) throws -> Void

  @inlinable
  init(
    name: String, keyPath: any PartialKeyPath<Root> & Sendable, type: any ValueConvertible.Type,
    get: @escaping @Sendable (borrowing Root) -> any ValueConvertible,
    isSame: @escaping @Sendable (Root, Root) throws -> Bool,
    bind: @escaping @Sendable (borrowing Root, UnsafeMutablePointer<EngineStatement>, Int32) throws -> Void
  ) {
    self.name = name
    self.keyPath = keyPath
    self.type = type
    self.get = get
    self.isSame = isSame
    self.bind = bind
  }

  package func value(_ root: borrowing Root) throws -> Value { try get(root).databaseValue }
}

/// A mapped property and how to bind it.
@usableFromInline
struct Property<Root, T: ValueConvertible>: Sendable {
  @usableFromInline let name: String
  @usableFromInline let path: any KeyPath<Root, T> & Sendable
  // A stored property is read at its offset, which takes a nanosecond; a key path takes tens.
  @usableFromInline let offset: Int?

  @inlinable
  init(_ column: Mapping<Root>.MappedColumn<T>) {
    name = column.0
    path = column.1
    offset = MemoryLayout<Root>.offset(of: column.1)
  }

  @inlinable
  var column: MappedProperty<Root> {
    MappedProperty(name: name, keyPath: path, type: T.self) { [path] root in
      (copy root)[keyPath: path]
    } isSame: {
      try self.isSame($0, $1)
    } bind: {
      try self.bind($0, to: $1, $2)
    }
  }

  @inlinable
  func isSame(_ left: Root, _ right: Root) throws -> Bool {
    guard let offset else { return try left[keyPath: path].databaseValue == right[keyPath: path].databaseValue }
    return try withUnsafePointer(to: left) { left in
      try withUnsafePointer(to: right) { right in
        let left = UnsafeRawPointer(left).advanced(by: offset)
        let right = UnsafeRawPointer(right).advanced(by: offset)
        // Most properties are the same in every bit, so nothing has to be converted.
        if haveSameBytes(left, right, MemoryLayout<T>.size) { return true }
        return try left.assumingMemoryBound(to: T.self).pointee.databaseValue
          == right.assumingMemoryBound(to: T.self).pointee.databaseValue
      }
    }
  }

  @inlinable @inline(__always)
  func bind(_ root: borrowing Root, to statement: UnsafeMutablePointer<EngineStatement>, _ index: Int32) throws {
    guard let offset else {
      return try (copy root)[keyPath: path].bind(to: Parameter(statement: statement, index: index))
    }
    try withUnsafePointer(to: root) { pointer in
      try UnsafeRawPointer(pointer).advanced(by: offset).assumingMemoryBound(to: T.self).pointee
        .bind(to: Parameter(statement: statement, index: index))
    }
  }
}

@usableFromInline
func haveSameBytes(_ left: UnsafeRawPointer, _ right: UnsafeRawPointer, _ count: Int) -> Bool {
  memcmp(left, right, count) == 0
}

/// Reads the columns of a mapping, by their index in the mapping. It owns nothing.
@usableFromInline
struct ColumnReader {
  @usableFromInline let statement: UnsafeMutablePointer<EngineStatement>?  // because it lives only during one call
  @usableFromInline let copy: Unmanaged<RowCopy>?
  @usableFromInline let indices: UnsafePointer<Int32>?

  @inlinable @inline(__always)
  init(statement: UnsafeMutablePointer<EngineStatement>, indices: UnsafeMutablePointer<Int32>?) {
    self.statement = statement
    self.indices = UnsafePointer(indices)
    copy = nil
  }

  init(copy: RowCopy?, indices: UnsafePointer<Int32>?) {
    statement = nil
    self.copy = copy.map(Unmanaged.passUnretained)
    self.indices = indices
  }

  @inlinable @inline(__always)
  func read<T: ValueConvertible>(_ position: Int) throws -> T {
    let index = indices.map { $0[position] } ?? Int32(truncatingIfNeeded: position)
    guard let statement else { return try readCopy(index) }
    return try T.read(Column(statement: statement, index: index))
  }

  @usableFromInline @inline(never)
  func readCopy<T: ValueConvertible>(_ index: Int32) throws -> T {
    guard let copy else { fatalError("a reader has a statement or a row") }
    return try Row(copy.takeUnretainedValue()).readCopy(at: Int(index))
  }
}
