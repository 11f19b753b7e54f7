import CSQLite

/// Learns keys from SQLite's preupdate hook, which is called for every row that is about to change, whatever changes it:
/// statements, REPLACE, foreign keys, triggers, truncation.
final class PreupdateCapture: ChangeCapture {
  static var isAvailable: Bool { frc_has_preupdate_hook() != 0 }

  private var slots: [Slot] = []
  // The table structures that rows came from in this transaction, with their slots; -1 for tables nobody observes.
  private var known: [(table: UnsafePointer<CChar>, slot: Int)] = []
  private var lastTable: UnsafePointer<CChar>?
  private var lastSlot = -1
  private let limit: Int

  private struct Slot {
    let shape: TableShape
    var rowIDs: [Int64] = []
    var keys: Set<[Value]> = []
    var isOverflowing = false
    var isTouched = false

    init(_ shape: TableShape) { self.shape = shape }

    mutating func clear() {
      rowIDs.removeAll(keepingCapacity: rowIDs.count < 10_000)
      keys.removeAll()
      isOverflowing = false
      isTouched = false
    }
  }

  init(limit: Int) { self.limit = limit }

  func install(_ tables: [TableShape], on connection: Connection) {
    slots = tables.map(Slot.init)
    begin()
    frc_preupdate_hook(
      connection.handle,
      { context, handle, operation, schema, table, oldID, newID in
        guard let context, let handle, let schema, let table else { return }
        Unmanaged<PreupdateCapture>.fromOpaque(context).takeUnretainedValue()
          .note(handle, operation, schema, table, oldID, newID)
      }, Unmanaged.passUnretained(self).toOpaque())
  }

  func remove(from connection: Connection) {
    frc_preupdate_hook(connection.handle, nil, nil)
    slots = []
  }

  func begin() {
    for index in slots.indices where slots[index].isTouched { slots[index].clear() }
    // The structures live as long as the schema does; another transaction may meet another schema.
    known.removeAll(keepingCapacity: true)
    lastTable = nil
  }

  private func note(
    _ handle: OpaquePointer, _ operation: Int32, _ schema: UnsafePointer<CChar>, _ table: UnsafePointer<CChar>,
    _ oldID: Int64, _ newID: Int64
  ) {
    if table != lastTable { find(schema, table) }
    guard lastSlot >= 0 else { return }
    slots[lastSlot].isTouched = true
    if case .primaryKey(let columns) = slots[lastSlot].shape.key {
      noteKeys(handle, operation, columns)
      return
    }
    if operation != SQLITE_INSERT { add(oldID) }
    if operation == SQLITE_INSERT || operation == SQLITE_UPDATE && newID != oldID { add(newID) }
  }

  // Twice the limit before duplicates are taken out, so that the sorting is paid for by the rows between.
  @inline(__always)
  private func add(_ id: Int64) {
    if slots[lastSlot].rowIDs.last == id { return }
    slots[lastSlot].rowIDs.append(id)
    if slots[lastSlot].rowIDs.count > 2 * limit { shrink() }
  }

  @inline(never)
  private func shrink() {
    let ids = slots[lastSlot].rowIDs.sortedAndUnique()
    slots[lastSlot].isOverflowing = slots[lastSlot].isOverflowing || ids.count > limit
    slots[lastSlot].rowIDs = slots[lastSlot].isOverflowing ? [] : ids
  }

  @inline(never)
  private func find(_ schema: UnsafePointer<CChar>, _ table: UnsafePointer<CChar>) {
    lastTable = table
    if let match = known.first(where: { $0.table == table }) {
      lastSlot = match.slot
      return
    }
    lastSlot =
      slots.firstIndex { slot in
        slot.shape.name == String(cString: table) && slot.shape.schema == String(cString: schema)
      } ?? -1
    known.append((table, lastSlot))
  }

  private func noteKeys(_ handle: OpaquePointer, _ operation: Int32, _ columns: [TableShape.KeyColumn]) {
    var complete = true
    if operation != SQLITE_INSERT {
      complete = noteKey(columns) { column, value in frc_preupdate_old(handle, column.index, value) }
    }
    if operation != SQLITE_DELETE {
      // For an update the new values are found by their stored place, for an insertion by their place in the table.
      let isUpdate = operation == SQLITE_UPDATE
      let found = noteKey(columns) { column, value in
        frc_preupdate_new(handle, isUpdate ? column.storedIndex : column.index, value)
      }
      complete = complete && found
    }
    if !complete { slots[lastSlot].isOverflowing = true }
  }

  private func noteKey(
    _ columns: [TableShape.KeyColumn],
    _ read: (TableShape.KeyColumn, UnsafeMutablePointer<OpaquePointer?>) -> Int32
  ) -> Bool {
    guard !slots[lastSlot].isOverflowing else { return true }
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
    slots[lastSlot].keys.insert(key)
    if slots[lastSlot].keys.count > limit { return false }
    return true
  }

  func collect(on connection: Connection) -> [String: DirtyKeys] {
    var changes: [String: DirtyKeys] = [:]
    for index in slots.indices {
      let slot = slots[index]
      switch slot.shape.key {
      case .unknown(let exists):
        if exists, connection.changedAnything { changes[slot.shape.observedName] = .everything(.notATable) }
      case _ where !slot.isTouched:
        continue
      case _ where slot.isOverflowing:
        changes[slot.shape.observedName] = .everything(.overflow)
      case .primaryKey:
        changes[slot.shape.observedName] = .primaryKeys(slot.keys)
      case .rowID:
        let ids = slot.rowIDs.sortedAndUnique()
        changes[slot.shape.observedName] = ids.count > limit ? .everything(.overflow) : .rowIDs(ids)
      }
    }
    return changes
  }
}
