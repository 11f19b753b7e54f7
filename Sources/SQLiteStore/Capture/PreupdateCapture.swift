import CFetchedResultsSQLite

/// Captures keys with SQLite's preupdate hook. SQLite calls it for every row that is about to change, whatever changes
/// it: statements, REPLACE, foreign keys, triggers, truncation.
final class PreupdateCapture: ChangeCapture {
  static var isAvailable: Bool { frc_has_preupdate_hook() != 0 }

  private let limit: Int
  /// Whether the hook was set. Others may have replaced it since.
  private(set) var isHooked = false
  // State that every commit or row uses, outside the class: in the class each access would be checked for
  // exclusiveness, which the holder of the writer has anyway.
  private let state: UnsafeMutablePointer<State>

  private struct State {
    unowned(unsafe) let capture: PreupdateCapture
    var slots = UnsafeMutableBufferPointer<Slot>(start: nil, count: 0)
    /// The table structures from which rows came in this transaction, with their slots; -1 for tables that nobody
    /// observes.
    var known: [(table: UnsafePointer<CChar>, slot: Int)] = []
    var isSchemaMoving = false
    /// How often the hook was called.
    var calls = 0
    /// The table structure that the last row came from.
    var table: UnsafePointer<CChar>?
    /// The buffer for the table's row ids; nil if the table is not observed or has other keys.
    var rowIDs: UnsafeMutablePointer<RowIDBuffer>?
    var slot = -1

    mutating func freeSlots() {
      for slot in slots { slot.free() }
      slots.deinitialize()
      slots.deallocate()
      slots = UnsafeMutableBufferPointer(start: nil, count: 0)
    }
  }

  private struct Slot {
    let shape: TableShape
    /// The names under which the table is observed; there can be several, such as "item" and "main.Item". It is a
    /// dictionary, so that one with keys can be made from it without hashing them again.
    var names: [String: Void]
    /// The schema's and the table's names as the hook spells them, in plain memory, so that they can be compared in
    /// place.
    let schemaName: UnsafeMutablePointer<CChar>
    let tableName: UnsafeMutablePointer<CChar>
    let hasRowIDs: Bool
    let rowIDs: UnsafeMutablePointer<RowIDBuffer>
    var keys: Set<[Value]> = []
    var isOverflowing = false

    var isTouched: Bool { rowIDs.pointee.count > 0 || !keys.isEmpty || isOverflowing || rowIDs.pointee.isOverflowing }

    init(_ shape: TableShape, limit: Int) {
      self.shape = shape
      names = [shape.observedName: ()]
      schemaName = Self.cString(shape.schema)
      tableName = Self.cString(shape.name)
      if case .rowID = shape.key { hasRowIDs = true } else { hasRowIDs = false }
      rowIDs = .allocate(capacity: 1)
      rowIDs.initialize(to: RowIDBuffer(limit: limit))
    }

    private static func cString(_ string: String) -> UnsafeMutablePointer<CChar> {
      let copy = UnsafeMutableBufferPointer<CChar>.allocate(capacity: string.utf8.count + 1)
      _ = copy.initialize(from: string.utf8CString)
      return copy.baseAddress.unsafelyUnwrapped
    }

    func free() {
      rowIDs.pointee.free()
      rowIDs.deallocate()
      schemaName.deallocate()
      tableName.deallocate()
    }

    mutating func clear() {
      rowIDs.pointee.clear()
      if !keys.isEmpty { keys.removeAll() }
      isOverflowing = false
    }
  }

  init(limit: Int) {
    self.limit = limit
    state = .allocate(capacity: 1)
    state.initialize(to: State(capture: self))
  }

  deinit {
    state.pointee.freeSlots()
    state.deinitialize(count: 1)
    state.deallocate()
  }

  func install(_ tables: [TableShape], on connection: Connection) throws {
    var slots: [Slot] = []
    for shape in tables {
      if let index = slots.firstIndex(where: { $0.shape.isSameTable(as: shape) }) {
        slots[index].names[shape.observedName] = ()
        continue
      }
      slots.append(Slot(shape, limit: limit))
    }
    state.pointee.freeSlots()
    state.pointee.slots = .allocate(capacity: slots.count)
    _ = state.pointee.slots.initialize(from: slots)
    begin()
    connection.whenSchemaIsTouched = { [weak self] in self?.schemaIsMoving() }
    if !isHooked { try hook(connection) }
  }

  private func hook(_ connection: Connection) throws {
    guard HookContexts.add(state, for: connection.handle) else {
      throw DatabaseError.misuse(
        "more than \(HookContexts.capacity) databases are observed at once; close some, or open them with Options.capture = .triggers"
      )
    }
    isHooked = true
    frc_preupdate_hook(
      connection.handle,
      { _, handle, operation, schema, table, oldID, newID in
        guard let handle, let table,
          let state = HookContexts.context(of: handle)?.assumingMemoryBound(to: State.self)
        else { return }
        state.pointee.calls &+= 1
        if table != state.pointee.table {
          guard let schema else { return }
          PreupdateCapture.find(schema, table, state)
        }
        if let rowIDs = state.pointee.rowIDs {
          if operation != SQLITE_INSERT { rowIDs.pointee.append(oldID) }
          if operation != SQLITE_DELETE { rowIDs.pointee.append(newID) }
        } else if state.pointee.slot >= 0 {
          state.pointee.capture.noteKeys(handle, operation)
        }
      }, nil)
    // SQLite decides when it compiles `DELETE FROM t` whether to empty the table without visiting its rows, and so
    // without calling the hook. Statements that were compiled before must be compiled again.
    connection.expireStatements()
  }

  func remove(from connection: Connection) {
    if isHooked { frc_preupdate_hook(connection.handle, nil, nil) }
    abandon(connection)
  }

  /// Leaves the hook to its current owner.
  func abandon(_ connection: Connection) {
    if isHooked { HookContexts.remove(connection.handle) }
    isHooked = false
    connection.whenSchemaIsTouched = nil
    state.pointee.freeSlots()
  }

  /// Whether the hook is still this capture's. SQLite doesn't report whose hook is set, and a session that was created
  /// and deleted meanwhile leaves none. So it makes a change that nobody else notices, and checks whether the hook was
  /// called.
  func isInPlace(on connection: Connection) -> Bool {
    let before = state.pointee.calls
    var blob: OpaquePointer?
    defer { sqlite3_blob_close(blob) }
    let table = "CREATE TEMP TABLE IF NOT EXISTS frc_probe AS SELECT zeroblob(1) AS x"
    guard connection.asLibrary({ sqlite3_exec(connection.handle, table, nil, nil, nil) }) == SQLITE_OK,
      sqlite3_blob_open(connection.handle, "temp", "frc_probe", "x", 1, 1, &blob) == SQLITE_OK,
      sqlite3_blob_write(blob, "x", 1, 0) == SQLITE_OK
    else { return false }
    return state.pointee.calls > before
  }

  func begin() {
    let slots = state.pointee.slots
    for index in slots.indices where slots[index].isTouched { slots[index].clear() }
    // The structures live as long as the schema does; the next transaction may have another schema.
    forgetTables()
    state.pointee.isSchemaMoving = false
  }

  /// From now on until the end of the transaction, a table structure may be at the address of an earlier one: when a
  /// change of the schema is rolled back, SQLite reads all of it again. So tables are identified by their names.
  private func schemaIsMoving() {
    forgetTables()
    state.pointee.isSchemaMoving = true
  }

  private func forgetTables() {
    if !state.pointee.known.isEmpty { state.pointee.known.removeAll(keepingCapacity: true) }
    state.pointee.table = nil
  }

  @inline(never)
  private static func find(
    _ schema: UnsafePointer<CChar>, _ table: UnsafePointer<CChar>, _ state: UnsafeMutablePointer<State>
  ) {
    let slots = state.pointee.slots
    var slot = -1
    if let match = state.pointee.known.first(where: { $0.table == table }) {
      slot = match.slot
    } else {
      for index in slots.indices {
        // Copy only the pointers: a call on the slot would copy the slot.
        let (tableName, schemaName) = (slots[index].tableName, slots[index].schemaName)
        if sqlite3_stricmp(tableName, table) == 0, sqlite3_stricmp(schemaName, schema) == 0 {
          slot = index
          break
        }
      }
      if !state.pointee.isSchemaMoving { state.pointee.known.append((table, slot)) }
    }
    state.pointee.table = state.pointee.isSchemaMoving ? nil : table
    state.pointee.slot = slot
    state.pointee.rowIDs = slot >= 0 && slots[slot].hasRowIDs ? slots[slot].rowIDs : nil
  }

  private func noteKeys(_ handle: OpaquePointer, _ operation: Int32) {
    let slots = state.pointee.slots
    let slot = state.pointee.slot
    guard case .primaryKey(let columns) = slots[slot].shape.key else { return }
    var complete = true
    if operation != SQLITE_INSERT {
      complete = noteKey(slot, columns) { column, value in frc_preupdate_old(handle, column.index, value) }
    }
    if operation != SQLITE_DELETE {
      // For an update the new values are found by their stored index, for an insertion by their index in the table.
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
    let slots = state.pointee.slots
    guard !slots[slot].isOverflowing else { return true }
    var key: [Value] = []
    // If the hook leaves open which number it was, both keys are recorded.
    var others: [(place: Int, value: Value)] = []
    for column in columns {
      var pointer: OpaquePointer?
      guard read(column, &pointer) == SQLITE_OK, let pointer else { return false }
      let value: Value
      do {
        value = try Value(reading: pointer) { DatabaseError(code: .mismatch, message: $0) }
      } catch {
        return false  // a key that is no text in any encoding can't be looked up again
      }
      guard let (stored, other) = column.affinity.stored(value) else { return false }
      if let other { others.append((key.count, other)) }
      key.append(stored)
    }
    slots[slot].keys.insert(key)
    if !others.isEmpty { noteOtherSpellings(of: key, others, slot) }
    return slots[slot].keys.count <= limit
  }

  private func noteOtherSpellings(of key: [Value], _ others: [(place: Int, value: Value)], _ slot: Int) {
    var keys = [key]
    for (place, value) in others {
      keys += keys.map { key in
        var key = key
        key[place] = value
        return key
      }
    }
    state.pointee.slots[slot].keys.formUnion(keys)
  }

  func collect(on connection: Connection) -> [String: DirtyKeys] {
    var changes: [String: DirtyKeys] = [:]
    let slots = state.pointee.slots
    for index in slots.indices {
      guard let keys = keys(of: index, on: connection) else { continue }
      if changes.isEmpty {
        changes = slots[index].names.mapValues { keys }
      } else {
        // Two tables can have names that are equal in Swift.
        for name in slots[index].names.keys { changes[name] = changes[name]?.union(keys) ?? keys }
      }
    }
    return changes
  }

  private func keys(of index: Int, on connection: Connection) -> DirtyKeys? {
    let slots = state.pointee.slots
    if slots[index].isTouched {
      if slots[index].isOverflowing || slots[index].rowIDs.pointee.isOverflowing { return .everything(.overflow) }
      if !slots[index].hasRowIDs { return .primaryKeys(slots[index].keys) }
      return slots[index].rowIDs.pointee.unique().map { .rowIDs($0) } ?? .everything(.overflow)
    }
    guard case .unknown(exists: true) = slots[index].shape.key, connection.mayHaveChangedAnything else { return nil }
    return .everything(.notATable)
  }
}

/// Row ids in order of arrival, in memory of its own.
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
    // Collect twice the limit before removing duplicates, so that the rows in between pay for the sorting.
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

  /// The ids, ascending, each once; nil if there are too many.
  func unique() -> [Int64]? {
    let ids = Array(UnsafeBufferPointer(start: base, count: count)).sortedAndUnique()
    return ids.count > limit ? nil : ids
  }
}
