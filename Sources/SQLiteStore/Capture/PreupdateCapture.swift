import CSQLite

/// Learns keys from SQLite's preupdate hook, which is called for every row that is about to change, whatever changes it:
/// statements, REPLACE, foreign keys, triggers, truncation.
final class PreupdateCapture: ChangeCapture {
  static var isAvailable: Bool { frc_has_preupdate_hook() != 0 }

  private var slots: [Slot] = []
  // The table structures that rows came from in this transaction, with their slots; -1 for tables nobody observes.
  private var known: [(table: UnsafePointer<CChar>, slot: Int)] = []
  // What is touched for every row, apart from the class: there a row would pay for the checks of exclusive access.
  private let current: UnsafeMutablePointer<Current>
  private let limit: Int
  private var isSchemaMoving = false

  private struct Current {
    unowned(unsafe) let capture: PreupdateCapture
    var table: UnsafePointer<CChar>?
    /// Where the table's row ids go; nil when it is not observed or has other keys.
    var rowIDs: UnsafeMutablePointer<RowIDBuffer>?
    var slot = -1
  }

  private struct Slot {
    let shape: TableShape
    /// The names that the table is observed by: it can have several, as "item" and "main.Item".
    var names: [String]
    /// The schema's and the table's names as the hook spells them.
    let schemaName: ContiguousArray<CChar>
    let tableName: ContiguousArray<CChar>
    let hasRowIDs: Bool
    let rowIDs: UnsafeMutablePointer<RowIDBuffer>
    var keys: Set<[Value]> = []
    var isOverflowing = false

    var isTouched: Bool { rowIDs.pointee.count > 0 || !keys.isEmpty || isOverflowing || rowIDs.pointee.isOverflowing }

    init(_ shape: TableShape, limit: Int) {
      self.shape = shape
      names = [shape.observedName]
      schemaName = shape.schema.utf8CString
      tableName = shape.name.utf8CString
      if case .rowID = shape.key { hasRowIDs = true } else { hasRowIDs = false }
      rowIDs = .allocate(capacity: 1)
      rowIDs.initialize(to: RowIDBuffer(limit: limit))
    }

    func isNamed(_ schema: UnsafePointer<CChar>, _ table: UnsafePointer<CChar>) -> Bool {
      tableName.withUnsafeBufferPointer { sqlite3_stricmp($0.baseAddress, table) == 0 }
        && schemaName.withUnsafeBufferPointer { sqlite3_stricmp($0.baseAddress, schema) == 0 }
    }

    mutating func clear() {
      rowIDs.pointee.clear()
      if !keys.isEmpty { keys.removeAll() }
      isOverflowing = false
    }
  }

  init(limit: Int) {
    self.limit = limit
    current = .allocate(capacity: 1)
    current.initialize(to: Current(capture: self))
  }

  deinit {
    for slot in slots { Self.free(slot) }
    current.deallocate()
  }

  private static func free(_ slot: Slot) {
    slot.rowIDs.pointee.free()
    slot.rowIDs.deallocate()
  }

  func install(_ tables: [TableShape], on connection: Connection) {
    for slot in slots { Self.free(slot) }
    slots = []
    for shape in tables {
      if let index = slots.firstIndex(where: { $0.shape.name == shape.name && $0.shape.schema == shape.schema }) {
        slots[index].names.append(shape.observedName)
        continue
      }
      slots.append(Slot(shape, limit: limit))
    }
    begin()
    connection.whenSchemaIsTouched = { [weak self] in self?.schemaIsMoving() }
    frc_preupdate_hook(
      connection.handle,
      { context, handle, operation, schema, table, oldID, newID in
        guard let current = context?.assumingMemoryBound(to: Current.self), let table else { return }
        if table != current.pointee.table {
          guard let schema else { return }
          current.pointee.capture.find(schema, table)
        }
        if let rowIDs = current.pointee.rowIDs {
          if operation != SQLITE_INSERT { rowIDs.pointee.append(oldID) }
          if operation != SQLITE_DELETE { rowIDs.pointee.append(newID) }
        } else if current.pointee.slot >= 0, let handle {
          current.pointee.capture.noteKeys(handle, operation)
        }
      }, current)
  }

  func remove(from connection: Connection) {
    frc_preupdate_hook(connection.handle, nil, nil)
    connection.whenSchemaIsTouched = nil
    for slot in slots { Self.free(slot) }
    slots = []
  }

  func begin() {
    slots.withUnsafeMutableBufferPointer { slots in
      for index in slots.indices where slots[index].isTouched { slots[index].clear() }
    }
    // The structures live as long as the schema does; another transaction may meet another schema.
    if !known.isEmpty { known.removeAll(keepingCapacity: true) }
    current.pointee.table = nil
    isSchemaMoving = false
  }

  /// From now on to the end of the transaction a table can come to stand where another one stood: when a change of the
  /// schema is undone, SQLite reads all of it anew. So tables are told by their names.
  private func schemaIsMoving() {
    if !known.isEmpty { known.removeAll(keepingCapacity: true) }
    current.pointee.table = nil
    isSchemaMoving = true
  }

  @inline(never)
  private func find(_ schema: UnsafePointer<CChar>, _ table: UnsafePointer<CChar>) {
    var slot = -1
    if let match = known.first(where: { $0.table == table }) {
      slot = match.slot
    } else {
      slot = slots.firstIndex { $0.isNamed(schema, table) } ?? -1
      if !isSchemaMoving { known.append((table, slot)) }
    }
    current.pointee.table = isSchemaMoving ? nil : table
    current.pointee.slot = slot
    current.pointee.rowIDs = nil
    if slot >= 0, slots[slot].hasRowIDs { current.pointee.rowIDs = slots[slot].rowIDs }
  }

  private func noteKeys(_ handle: OpaquePointer, _ operation: Int32) {
    let slot = current.pointee.slot
    guard case .primaryKey(let columns) = slots[slot].shape.key else { return }
    var complete = true
    if operation != SQLITE_INSERT {
      complete = noteKey(slot, columns) { column, value in frc_preupdate_old(handle, column.index, value) }
    }
    if operation != SQLITE_DELETE {
      // For an update the new values are found by their stored place, for an insertion by their place in the table.
      let isUpdate = operation == SQLITE_UPDATE
      let found = noteKey(slot, columns) { column, value in
        frc_preupdate_new(handle, isUpdate ? column.storedIndex : column.index, value)
      }
      complete = complete && found
    }
    if !complete { slots[slot].isOverflowing = true }
  }

  private func noteKey(
    _ slot: Int, _ columns: [TableShape.KeyColumn],
    _ read: (TableShape.KeyColumn, UnsafeMutablePointer<OpaquePointer?>) -> Int32
  ) -> Bool {
    guard !slots[slot].isOverflowing else { return true }
    var key: [Value] = []
    for column in columns {
      var pointer: OpaquePointer?
      guard read(column, &pointer) == SQLITE_OK, let pointer else { return false }
      do {
        key.append(try Value(reading: pointer) { DatabaseError(code: .mismatch, message: $0) })
      } catch {
        return false  // a key that is no text in any encoding can't be looked up again
      }
    }
    slots[slot].keys.insert(key)
    if slots[slot].keys.count > limit { return false }
    return true
  }

  func collect(on connection: Connection) -> [String: DirtyKeys] {
    var changes: [String: DirtyKeys] = [:]
    slots.withUnsafeBufferPointer { slots in
      for index in slots.indices {
        guard let keys = keys(of: slots[index], on: connection) else { continue }
        for name in slots[index].names { changes[name] = keys }
      }
    }
    return changes
  }

  private func keys(of slot: borrowing Slot, on connection: Connection) -> DirtyKeys? {
    switch slot.shape.key {
    case .unknown(let exists): exists && connection.changedAnything ? .everything(.notATable) : nil
    case _ where !slot.isTouched: nil
    case _ where slot.isOverflowing || slot.rowIDs.pointee.isOverflowing: .everything(.overflow)
    case .primaryKey: .primaryKeys(slot.keys)
    case .rowID: slot.rowIDs.pointee.unique().map { .rowIDs($0) } ?? .everything(.overflow)
    }
  }
}

/// Row ids as they come, in memory of its own.
private struct RowIDBuffer {
  private var base: UnsafeMutablePointer<Int64>
  private var capacity = 64
  private let limit: Int
  private(set) var count = 0
  private(set) var isOverflowing = false

  init(limit: Int) {
    self.limit = limit
    base = .allocate(capacity: capacity)
  }

  func free() { base.deallocate() }

  mutating func clear() {
    count = 0
    isOverflowing = false
  }

  @inline(__always)
  mutating func append(_ id: Int64) {
    if count > 0, base[count &- 1] == id { return }
    if count == capacity { makeRoom() }
    base[count] = id
    count &+= 1
  }

  @inline(never)
  private mutating func makeRoom() {
    // Twice the limit before duplicates are taken out, so that the rows between pay for the sorting.
    if capacity >= 2 * max(limit, 64) {
      let ids = Array(UnsafeBufferPointer(start: base, count: count)).sortedAndUnique()
      isOverflowing = isOverflowing || ids.count > limit
      count = 0
      if !isOverflowing {
        base.update(from: ids, count: ids.count)
        count = ids.count
      }
      return
    }
    let larger = UnsafeMutablePointer<Int64>.allocate(capacity: capacity * 2)
    larger.moveInitialize(from: base, count: count)
    base.deallocate()
    base = larger
    capacity *= 2
  }

  /// The ids, ascending and each once, or nil when they are too many.
  func unique() -> [Int64]? {
    let ids = Array(UnsafeBufferPointer(start: base, count: count)).sortedAndUnique()
    return ids.count > limit ? nil : ids
  }
}
