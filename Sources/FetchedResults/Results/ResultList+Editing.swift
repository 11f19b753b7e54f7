import DataSources
import SQLiteStore

extension ResultList {
  /// What an update does with the rows of some keys.
  private struct Plan {
    /// Slots to remove.
    var leaving: [UInt32] = []
    /// Rows of the batch that move within the list.
    var moving: [(slot: UInt32, row: Int)] = []
    /// Rows of the batch that are new in the list.
    var arriving: [(slot: UInt32, row: Int)] = []
    /// Rows of the batch that keep their places.
    var staying: [(slot: UInt32, row: Int)] = []

    var count: Int { leaving.count + moving.count + arriving.count + staying.count }
  }

  /// Reads the rows of these keys again, and updates the list. Returns how many were read.
  ///
  /// If it throws, the list may be partly changed and must be loaded again.
  func update(_ changed: [RowKey], _ view: any EngineView) throws -> Int {
    single = nil
    work = WorkCount()
    if !shelf.canCompare {
      before = Before(windowSlots: windowSlots)
      shelf.beginChange()
    }
    guard !changed.isEmpty else { return 0 }
    shelf.clear()
    let batch = try query.rows(of: changed, view, onto: shelf)
    let plan = try take(batch, of: changed + batch.respelt)
    if !plan.staying.isEmpty || !plan.leaving.isEmpty || !plan.moving.isEmpty || !plan.arriving.isEmpty {
      let edits = Edits(batch: batch)
      if plan.count == 1, !isWindowed { single = SingleChange() }
      if isWindowed {
        try edit(plan, edits, view, isShown: false)
        try rebuildWindow(edits, view)
      } else {
        try edit(plan, edits, view, isShown: true)
        try renameSections(edits, view)
      }
      compactKeys()
    }
    work.rowsRead = batch.count + extraRowsRead
    return work.rowsRead
  }

  /// Finds out which rows are added, removed and kept, and gives every row its slot.
  private func take(_ batch: RowBatch, of changed: [RowKey]) throws -> Plan {
    extraRowsRead = 0
    var plan = Plan()
    var row = 0
    var arrivals: [(key: RowKey, row: Int)] = []
    for key in changed {
      let old = index?.slot(of: key)
      guard row < batch.count, batch.keys.key(row) == key else {
        if let old { plan.leaving.append(old) }
        continue
      }
      if row + 1 < batch.count, batch.keys.key(row + 1) == key {
        throw shelf.repeated(row)
      }
      if let old {
        let isInPlace = KeyBuffer.compare(keys.bytes(Int(old)), batch.order.bytes(row)) == 0
        if isInPlace { plan.staying.append((old, row)) } else { plan.moving.append((old, row)) }
      } else {
        arrivals.append((key, row))
      }
      row += 1
    }
    try checkIDs(plan, arrivals)
    isChanging = true
    for (key, row) in arrivals {
      let slot = freeSlots.popLast() ?? UInt32(keys.count)
      if Int(slot) == keys.count {
        keys.append(entry: row, of: batch.order)
      } else {
        keys.replace(Int(slot), with: row, of: batch.order)
      }
      index?.insert(key, at: slot)
      plan.arriving.append((slot, row))
    }
    return plan
  }

  /// Checks that no id occurs twice, if the schema does not ensure that.
  private func checkIDs(_ plan: Plan, _ arrivals: [(key: RowKey, row: Int)]) throws {
    if query.isIDUnique { return }
    // Slots that have other ids now, or none.
    var free = Set(plan.leaving)
    free.formUnion((plan.staying + plan.moving).map(\.slot))
    var fresh = plan.staying + plan.moving
    var next = UInt32(keys.count)
    var unused = freeSlots
    for (_, row) in arrivals {
      let slot = unused.popLast() ?? next
      if slot == next { next += 1 }
      fresh.append((slot, row))
    }
    work.copied += try shelf.checkIDs(free, fresh)
  }

  // MARK: Editing

  /// The state of an edit.
  final class Edits {
    let batch: RowBatch
    /// The row of the batch for a slot.
    var fresh: [UInt32: Int] = [:]
    /// Slots that may begin a section now.
    var first: [UInt32] = []

    init(batch: RowBatch) { self.batch = batch }
  }

  private func edit(_ plan: Plan, _ edits: Edits, _ view: any EngineView, isShown: Bool) throws {
    noteChangedIDs(plan, edits, isShown: isShown)
    for (slot, row) in plan.staying { stay(slot, row, edits, isShown: isShown) }
    var places = (plan.leaving + plan.moving.map(\.slot)).compactMap { slots.place(of: $0) }
    if single != nil, let (slot, row) = plan.moving.first, let place = places.first {
      noteContent(slot, row, edits, at: place)
    }
    places.sort(by: >)
    for place in places { remove(at: place, edits, isShown: isShown) }
    for slot in plan.leaving { forget(slot) }
    for (slot, row) in plan.moving {
      keys.replace(Int(slot), with: row, of: edits.batch.order)
      note(slot, row, edits)
    }
    for (slot, row) in plan.arriving { note(slot, row, edits) }
    for (slot, row) in plan.moving + plan.arriving { try insert(slot, row, edits, view, isShown: isShown) }
  }

  /// Finds the ids whose content has changed, if rows can't be compared. It goes by ids and not by slots, because an id
  /// may belong to another row now: one that replaced the old row, or one with which it was exchanged.
  private func noteChangedIDs(_ plan: Plan, _ edits: Edits, isShown: Bool) {
    if shelf.canCompare { return }
    if plan.count == 1, let (slot, row) = (plan.staying + plan.moving).first {
      if fingerprints[Int(slot)] != edits.batch.fingerprints[row] { shelf.mark(row, nil) }
      return
    }
    let touched = plan.leaving + (plan.moving + plan.staying).map(\.slot)
    if isShown {
      for slot in touched {
        guard let path = path(ofPlace: slots.place(of: slot)) else { continue }
        shelf.remember(path, fingerprints[Int(slot)])
      }
    } else {
      let touched = Set(touched)
      for (place, slot) in windowSlots.enumerated() where touched.contains(slot) {
        if let path = shelf.path(place)?.path { shelf.remember(path, fingerprints[Int(slot)]) }
      }
    }
    for (_, row) in plan.staying + plan.moving + plan.arriving { shelf.mark(row, edits.batch.fingerprints[row]) }
  }

  /// Checks whether the single row that moves has other content, while it is in its old place.
  private func noteContent(_ slot: UInt32, _ row: Int, _ edits: Edits, at place: Int) {
    guard let path = shelf.path(place)?.path else { return }
    let isSame = shelf.isSame(path, row)
    if !isSame.id { single?.isUnclear = true }
    single?.isUpdated =
      !shelf.canCompare ? fingerprints[Int(slot)] != edits.batch.fingerprints[row] : !isSame.content
  }

  /// Records the batch's data about a row, except its position. Returns whether its content has changed.
  @discardableResult
  private func note(_ slot: UInt32, _ row: Int, _ edits: Edits) -> Bool {
    edits.fresh[slot] = row
    for partner in partners.indices { partners[partner].set(slot, edits.batch.partners[partner][row]) }
    if edits.batch.fingerprints.isEmpty { return false }
    return note(content: edits.batch.fingerprints[row], of: slot)
  }

  @discardableResult
  private func note(content: UInt64, of slot: UInt32) -> Bool {
    if Int(slot) == fingerprints.count {
      fingerprints.append(content)
      return true
    }
    if fingerprints[Int(slot)] == content { return false }
    before?.fingerprints.append((slot, fingerprints[Int(slot)]))
    fingerprints[Int(slot)] = content
    return true
  }

  private func stay(_ slot: UInt32, _ row: Int, _ edits: Edits, isShown: Bool) {
    let isOther = note(slot, row, edits)
    guard isShown, let path = path(ofPlace: slots.place(of: slot)) else { return }
    if path.item == 0 { edits.first.append(slot) }
    let isSame = shelf.isSame(path, row)
    let hasSameContent = shelf.canCompare ? isSame.content : !isOther
    if isSame.id, hasSameContent { return }
    single?.old = path
    single?.new = path
    single?.isUpdated = true
    if !isSame.id { single?.isUnclear = true }
    shelf.replace(path, row)
  }

  private func remove(at place: Int, _ edits: Edits, isShown: Bool) {
    before?.edits.append((slots[place], place, isInsertion: false))
    slots.remove(at: place)
    guard isShown, let (path, count) = shelf.path(place) else { return }
    let isLast = count == 1
    single?.old = path
    if isLast, order.hasSections {
      single?.deletedSection = path.section
      shelf.removeSection(path.section)
      return
    }
    shelf.remove(path)
    if path.item == 0, !isLast { edits.first.append(slots[place]) }
  }

  private func forget(_ slot: UInt32) {
    if let key = index?.key(slot) { index?.remove(key) }
    for partner in partners.indices { partners[partner].set(slot, nil) }
    freeSlots.append(slot)
  }

  private func insert(_ slot: UInt32, _ row: Int, _ edits: Edits, _ view: any EngineView, isShown: Bool) throws {
    let place = try insertionPlace(of: slot, view)
    defer {
      before?.edits.append((slot, place, isInsertion: true))
      slots.insert(slot, at: place)
    }
    guard isShown else { return }
    guard order.hasSections else {
      single?.new = ItemPath(section: 0, item: place)
      shelf.insert(ItemPath(section: 0, item: place), row)
      return
    }
    let bytes = keys.sectionBytes(Int(slot))
    if place > 0, try areOfOneSection(keys.sectionBytes(Int(slots[place - 1])), bytes, view),
      let path = shelf.path(place - 1)?.path
    {
      single?.new = ItemPath(section: path.section, item: path.item + 1)
      shelf.insert(ItemPath(section: path.section, item: path.item + 1), row)
    } else if place < slots.count, try areOfOneSection(bytes, keys.sectionBytes(Int(slots[place])), view),
      let path = shelf.path(place)?.path
    {
      single?.new = path
      shelf.insert(path, row)
      edits.first.append(slot)
    } else {
      let section = place == 0 ? 0 : (shelf.path(place - 1)?.path.section ?? -1) + 1
      let id = sectionID(bytes)
      let name = edits.batch.names[row] ?? ""
      if order.sectionOrderParts > 0 {
        let ids = (0..<shelf.sectionCount()).map { shelf.title($0).id }
        work.sections += ids.count
        let stands = try ids.contains(id) || isEqualByCollation(id, toOneOf: ids, view)
        if stands { throw disagreement(id, name) }
      }
      single?.new = ItemPath(section: section, item: 0)
      single?.insertedSection = section
      shelf.insertSection(id, name, row, section)
    }
  }

  private func path(ofPlace place: Int?) -> ItemPath? { place.flatMap { shelf.path($0)?.path } }

  /// The position for a slot that is not in the order.
  private func insertionPlace(of slot: UInt32, _ view: any EngineView) throws -> Int {
    let keys = keys
    let bytes = keys.bytes(Int(slot))
    let touch: (UInt32) -> UInt32 = { keys.touch(Int($0)) }
    var comparisons = 0
    defer { work.comparisons += comparisons }
    if !asksEngine {
      return slots.partition(touching: touch) {
        comparisons += 1
        return KeyBuffer.compare(keys.bytes(Int($0)), bytes) < 0
      }
    }
    return try slots.partition(touching: touch) {
      comparisons += 1
      return try compare(keys.bytes(Int($0)), bytes, view) < 0
    }
  }

  // MARK: Afterwards

  /// Renames the sections whose first row has changed.
  private func renameSections(_ edits: Edits, _ view: any EngineView) throws {
    guard order.hasSections else { return }
    for slot in edits.first {
      guard let path = path(ofPlace: slots.place(of: slot)), path.item == 0 else { continue }
      let section = shelf.title(path.section)
      let id = sectionID(keys.sectionBytes(Int(slot)))
      let name = try name(ofFirst: slot, id, edits, view)
      if id != section.id {
        // For a custom collation, the first row is the only source for a section's name.
        single?.isUnclear = true
        shelf.retitle(path.section, id, name)
      } else if !name.utf8.elementsEqual(section.name.utf8) {
        // A name that is the same is not reported, as in all differences.
        if name != section.name { single?.renamedSections.append(path.section) }
        shelf.retitle(path.section, id, name)
      }
    }
  }

  private func name(ofFirst slot: UInt32, _ id: SectionID, _ edits: Edits, _ view: any EngineView) throws -> String {
    if let row = edits.fresh[slot] { return edits.batch.names[row] ?? "" }
    if let name = nameOfID(id) { return name }
    guard let key = index?.key(slot) else { return "" }
    extraRowsRead += 1
    return try query.rows(of: [key], view, onto: shelf).names[0] ?? ""
  }

  /// Rebuilds the window's rows: from those that are shown already, those of the batch, and those that must be read.
  private func rebuildWindow(_ edits: Edits, _ view: any EngineView) throws {
    let range = min(window.lowerBound, slots.count)..<min(window.upperBound, slots.count)
    let shown = slots.slots(range)
    work.windowRows += shown.count
    // The source of each row: its number on the shelf, or `~` of its number in the current list.
    var known: [UInt32: Int] = [:]
    for (place, slot) in windowSlots.enumerated() { known[slot] = ~place }
    for (slot, row) in edits.fresh { known[slot] = row }
    let missing = shown.filter { known[$0] == nil }
    let read = try query.rows(of: missing.compactMap { index?.key($0) }, view, onto: shelf)
    extraRowsRead += read.count
    // Another program has deleted a row, and we have not received that commit yet: the list must be fetched again.
    guard read.count == missing.count else { throw Outdated() }
    for (place, slot) in missing.enumerated() {
      known[slot] = read.firstItem + place
      // Another program may have changed it, and we have not received that commit yet: the shown content counts as
      // known.
      if !read.fingerprints.isEmpty { note(content: read.fingerprints[place], of: slot) }
    }
    windowSlots = shown
    shelf.assemble(shown.compactMap { known[$0] })
    defer { shelf.takeSections() }
    guard order.hasSections else { return shelf.appendSection(.none, "", 0..<shown.count) }
    var ids: [SectionID] = []
    var start = 0
    for place in 1..<max(1, shown.count + 1) where !shown.isEmpty {
      if place < shown.count,
        try areOfOneSection(
          keys.sectionBytes(Int(shown[place - 1])), keys.sectionBytes(Int(shown[place])), view)
      {
        continue
      }
      let id = sectionID(keys.sectionBytes(Int(shown[start])))
      let name = try name(ofFirst: shown[start], id, edits, view)
      if try ids.contains(id) || order.sectionOrderParts > 0 && isEqualByCollation(id, toOneOf: ids, view) {
        throw disagreement(id, name)
      }
      ids.append(id)
      shelf.appendSection(id, name, start..<place)
      start = place
    }
  }

  /// Called after an error interrupted a change. The list can't be used any more, but this restores the contents of the
  /// published rows, so that the next list can be compared with it.
  func restoreContents() {
    guard let before else { return }
    for (slot, content) in before.fingerprints.reversed() { fingerprints[Int(slot)] = content }
    for edit in before.edits.reversed() {
      if edit.isInsertion { slots.remove(at: edit.place) } else { slots.insert(edit.slot, at: edit.place) }
    }
    windowSlots = before.windowSlots
    shelf.undoChange()
    endChange()
  }

  /// The change has been published, so nothing has to be undone any more.
  func endChange() {
    if before == nil { return }
    before = nil
    shelf.endChange()
  }

  /// The read is newer than the commits received so far.
  struct Outdated: Error {}

  /// Frees the memory of unused keys, if it is more than that of the used ones.
  private func compactKeys() {
    guard keys.end > 1 << 16, keys.end > 2 * keys.liveSize else { return }
    keys.compact()
  }
}
