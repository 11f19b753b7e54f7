import RowModel

/// An engine without a library: a statement whose rows are in memory, and which keeps what is bound to it.
final class MemoryStatement: EngineStatementOwner {
  let sql: String
  let columnNames: [String]
  private let rows: [[Value]]
  private var next = 0
  private var cells: [Cell] = []
  private(set) var bound: [Int32: Value] = [:]
  private let cell = StepCell()
  // because the statement owns the memory, and tests keep the statement
  let engine = UnsafeMutablePointer<EngineStatement>.allocate(capacity: 1)

  private final class Cell {
    let value: Value
    // because the cell owns the memory
    let bytes: UnsafeMutableBufferPointer<UInt8>

    init(_ value: Value) {
      self.value = value
      let content: [UInt8] =
        switch value {
        case .text(let text): Array(text.utf8)
        case .blob(let bytes): bytes
        default: []
        }
      bytes = .allocate(capacity: content.count)
      _ = bytes.initialize(from: content)
    }

    deinit { bytes.deallocate() }

    static func at(_ pointer: OpaquePointer?) -> Cell {
      Unmanaged<Cell>.fromOpaque(UnsafeRawPointer(pointer!)).takeUnretainedValue()
    }
  }

  init(_ sql: String, columns: [String], rows: [[Value]] = []) {
    self.sql = sql
    columnNames = columns
    self.rows = rows
    let handle = OpaquePointer(Unmanaged.passUnretained(self).toOpaque())
    engine.initialize(
      to: EngineStatement(handle: handle, functions: Self.functions, cell: cell, owner: self))
  }

  deinit {
    engine.pointee.plan.forget()
    engine.deinitialize(count: 1)
    engine.deallocate()
    cell.leave()
  }

  /// Moves to the next row, and returns it.
  func step() -> Row? {
    cell.advance()
    guard next < rows.count else { return nil }
    cells = rows[next].map(Cell.init)
    next += 1
    return Row(engine)
  }

  var currentNames: [String] { columnNames }

  func index(of name: String) -> Int? { columnNames.firstIndex(of: name) }

  func bindingError(_ code: Int32, at index: Int32) -> DatabaseError {
    DatabaseError(code: .range, message: "there is no parameter \(index)", sql: sql)
  }

  private static func at(_ pointer: OpaquePointer?) -> MemoryStatement {
    Unmanaged<MemoryStatement>.fromOpaque(UnsafeRawPointer(pointer!)).takeUnretainedValue()
  }

  private func bind(_ value: Value, _ index: Int32) -> Int32 {
    guard index <= columnNames.count else { return 25 }
    bound[index] = value
    return 0
  }

  // because it is never written after it was made
  nonisolated(unsafe) private static let functions: UnsafePointer<EngineFunctions> = {
    let table = UnsafeMutablePointer<EngineFunctions>.allocate(capacity: 1)
    table.initialize(
      to: EngineFunctions(
        columnCount: { Int32(MemoryStatement.at($0).columnNames.count) },
        dataCount: { Int32(MemoryStatement.at($0).cells.count) },
        preparations: { _ in 0 },
        cell: { OpaquePointer(Unmanaged.passUnretained(MemoryStatement.at($0).cells[Int($1)]).toOpaque()) },
        type: {
          switch Cell.at($0).value {
          case .integer: 1
          case .real: 2
          case .text: 3
          case .blob: 4
          case .null: 5
          }
        },
        integer: { if case .integer(let integer) = Cell.at($0).value { integer } else { 0 } },
        real: { if case .real(let real) = Cell.at($0).value { real } else { 0 } },
        text: { UnsafePointer(Cell.at($0).bytes.baseAddress) },
        blob: { UnsafeRawPointer(Cell.at($0).bytes.baseAddress) },
        byteCount: { Int32(Cell.at($0).bytes.count) },
        bindNull: { MemoryStatement.at($0).bind(.null, $1) },
        bindInteger: { MemoryStatement.at($0).bind(.integer($2), $1) },
        bindReal: { MemoryStatement.at($0).bind(.real($2), $1) },
        bindText: { handle, index, bytes, count in
          let text = UnsafeRawBufferPointer(start: bytes, count: Int(count))
          return MemoryStatement.at(handle).bind(.text(String(decoding: text, as: UTF8.self)), index)
        },
        bindBlob: { handle, index, bytes, count in
          let blob = UnsafeRawBufferPointer(start: bytes, count: Int(count))
          return MemoryStatement.at(handle).bind(.blob([UInt8](blob)), index)
        }))
    return UnsafePointer(table)
  }()
}
