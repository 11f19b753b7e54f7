/// How an engine reads rows and binds values: C functions, so that a call costs one indirect jump.
///
/// An engine makes one table, which lives as long as the process. The first argument of the functions of a statement is
/// ``EngineStatement/handle``; that of the functions of a cell is what `cell` returned.
@usableFromInline
package struct EngineFunctions {
  /// The number of columns of the result.
  @usableFromInline let columnCount: @convention(c) (OpaquePointer?) -> Int32
  /// The number of columns of the current row; 0 without one.
  @usableFromInline let dataCount: @convention(c) (OpaquePointer?) -> Int32
  /// How many times the statement was compiled again: the columns may have other positions since.
  @usableFromInline let preparations: @convention(c) (OpaquePointer?) -> Int32

  /// A cell of the current row, valid until the next step. The column exists.
  @usableFromInline let cell: @convention(c) (OpaquePointer?, Int32) -> OpaquePointer?
  /// The storage class of a cell: one of the numbers in ``CellType``.
  @usableFromInline let type: @convention(c) (OpaquePointer?) -> Int32
  @usableFromInline let integer: @convention(c) (OpaquePointer?) -> Int64
  @usableFromInline let real: @convention(c) (OpaquePointer?) -> Double
  /// The bytes of a text in UTF-8. Call it before `byteCount`.
  @usableFromInline let text: @convention(c) (OpaquePointer?) -> UnsafePointer<UInt8>?
  /// The bytes of a blob. Call it before `byteCount`.
  @usableFromInline let blob: @convention(c) (OpaquePointer?) -> UnsafeRawPointer?
  @usableFromInline let byteCount: @convention(c) (OpaquePointer?) -> Int32

  // These return 0, or the engine's code for an error. The pointers of texts and blobs are never null, and the engine
  // copies the bytes.
  @usableFromInline let bindNull: @convention(c) (OpaquePointer?, Int32) -> Int32
  @usableFromInline let bindInteger: @convention(c) (OpaquePointer?, Int32, Int64) -> Int32
  @usableFromInline let bindReal: @convention(c) (OpaquePointer?, Int32, Double) -> Int32
  @usableFromInline let bindText: @convention(c) (OpaquePointer?, Int32, UnsafePointer<CChar>?, UInt64) -> Int32
  @usableFromInline let bindBlob: @convention(c) (OpaquePointer?, Int32, UnsafeRawPointer?, UInt64) -> Int32

  package init(
    columnCount: @escaping @convention(c) (OpaquePointer?) -> Int32,
    dataCount: @escaping @convention(c) (OpaquePointer?) -> Int32,
    preparations: @escaping @convention(c) (OpaquePointer?) -> Int32,
    cell: @escaping @convention(c) (OpaquePointer?, Int32) -> OpaquePointer?,
    type: @escaping @convention(c) (OpaquePointer?) -> Int32,
    integer: @escaping @convention(c) (OpaquePointer?) -> Int64,
    real: @escaping @convention(c) (OpaquePointer?) -> Double,
    text: @escaping @convention(c) (OpaquePointer?) -> UnsafePointer<UInt8>?,
    blob: @escaping @convention(c) (OpaquePointer?) -> UnsafeRawPointer?,
    byteCount: @escaping @convention(c) (OpaquePointer?) -> Int32,
    bindNull: @escaping @convention(c) (OpaquePointer?, Int32) -> Int32,
    bindInteger: @escaping @convention(c) (OpaquePointer?, Int32, Int64) -> Int32,
    bindReal: @escaping @convention(c) (OpaquePointer?, Int32, Double) -> Int32,
    bindText: @escaping @convention(c) (OpaquePointer?, Int32, UnsafePointer<CChar>?, UInt64) -> Int32,
    bindBlob: @escaping @convention(c) (OpaquePointer?, Int32, UnsafeRawPointer?, UInt64) -> Int32
  ) {
    self.columnCount = columnCount
    self.dataCount = dataCount
    self.preparations = preparations
    self.cell = cell
    self.type = type
    self.integer = integer
    self.real = real
    self.text = text
    self.blob = blob
    self.byteCount = byteCount
    self.bindNull = bindNull
    self.bindInteger = bindInteger
    self.bindReal = bindReal
    self.bindText = bindText
    self.bindBlob = bindBlob
  }
}

/// The storage classes as numbers. They are SQLite's, so that its own function can be in the table.
@usableFromInline
package enum CellType {
  @inlinable static var integer: Int32 { 1 }
  @inlinable static var real: Int32 { 2 }
  @inlinable static var text: Int32 { 3 }
  @inlinable static var blob: Int32 { 4 }
  @inlinable static var null: Int32 { 5 }
}
