import DataSources
import RowModel

extension ResultList {
  /// What an update does with the rows of some keys.
  struct Plan {
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
    several = nil
    work = WorkCount()
    _ = storage.takeVisits()
    otherWithRows = []
    if !storage.canCompare {
      before = Before(shown: shown)
      storage.beginChange()
    }
    guard !changed.isEmpty else { return 0 }
    storage.clear()
    let batch = try query.rows(of: changed, view, onto: storage)
    let plan = try take(batch, of: changed + batch.respelt)
    if !plan.staying.isEmpty || !plan.leaving.isEmpty || !plan.moving.isEmpty || !plan.arriving.isEmpty {
      let edits = Edits(batch: batch)
      if !isWindowed {
        if plan.count == 1 { single = SingleChange() } else if isFew(plan.count) { several = SeveralChanges() }
      }
      try edit(plan, edits, view)
      if isWindowed {
        try moveWindow(edits, view)
        try checkShownIDs(edits)
      }
      noteChangedIDs(plan, edits)
      try renameSections(edits, view)
      compactKeys()
    }
    work.rowsRead = batch.count + extraRowsRead
    work.steps += batch.steps
    return work.rowsRead
  }

  /// Finds out which rows are added, removed and kept, and gives every row its slot.
  private func take(_ batch: RowBatch, of changed: [RowKey]) throws -> Plan {
    extraRowsRead = 0
    var plan = Plan()
    var row = 0
    var arrivals: [(key: RowKey, row: Int)] = []
    if loadsAhead(changed.count) { prefetchKeys(changed) }
    for key in changed {
      let old = index?.slot(of: key)
      guard row < batch.count, batch.keys.key(row) == key else {
        if let old { plan.leaving.append(old) }
        continue
      }
      if row + 1 < batch.count, batch.keys.key(row + 1) == key {
        throw storage.repeated(row)
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
    // Of a window, only the shown rows count: `checkShownIDs`.
    if isWindowed || !checksIDs || !storage.needsIDCheck() { return }
    // Slots that have other ids now, or none.
    var free = Set(plan.leaving)
    free.formUnion((plan.staying + plan.moving).map(\.slot))
    var fresh = plan.staying + plan.moving
    for (number, arrival) in arrivals.enumerated() { fresh.append((slot(ofArrival: number), arrival.row)) }
    work.copied += try storage.checkIDs(free, fresh)
  }

  /// The slot that `take` is about to give to a new row: the last free one to the first row. Free slots are not removed
  /// from a copy of the array, because that would copy all of them.
  private func slot(ofArrival number: Int) -> UInt32 {
    let rest = freeSlots.count - number
    return rest > 0 ? freeSlots[rest - 1] : UInt32(keys.count - rest)
  }

  /// Checks that no id occurs twice in the window, if the schema does not ensure that.
  private func checkShownIDs(_ edits: Edits) throws {
    if !checksIDs || !storage.needsIDCheck() { return }
    let fresh = edits.shown.compactMap { slot, row in row.map { (slot: slot, row: $0) } }
    work.copied += try storage.checkIDs(Set(edits.shown.keys), fresh)
  }

  // MARK: Editing

  /// The state of an edit.
  final class Edits {
    let batch: RowBatch
    /// The row of the batch for a slot.
    var fresh: [UInt32: Int] = [:]
    /// Rows that have entered the window and that the batch does not have.
    var entered: [UInt32: (row: Int, name: String)] = [:]
    /// The slots whose place or row in the window has changed, with the row that is shown now; nil if none is.
    var shown: [UInt32: Int?] = [:]
    /// Slots that may begin a section now.
    var first: [UInt32] = []
    /// Whether the content of the only row has changed; nil if there are several rows, or if rows can be compared.
    var isOnlyRowUpdated: Bool?

    init(batch: RowBatch) { self.batch = batch }

    /// The name that a slot's row gives its section; nil if the row was not read.
    func name(of slot: UInt32) -> String? { fresh[slot].map { batch.names[$0] ?? "" } ?? entered[slot]?.name }
  }

  /// The slots of the shown rows before and after a place.
  typealias Neighbours = (before: UInt32?, after: UInt32?)

  private func edit(_ plan: Plan, _ edits: Edits, _ view: any EngineView) throws {
    var (removals, staying) = oldPlaces(of: plan)
    noteOldContents(plan, removals + staying, edits)
    for (place, slot, row) in staying { if let row { stay(slot, row, at: place, edits) } }
    if single != nil, let (slot, row) = plan.moving.first, let place = removals.first?.place {
      noteContent(slot, row, edits, at: place)
    }
    // The last one first, so that the others keep their places.
    removals.sort { $0.place > $1.place }
    noteOldPaths(removals, plan, edits)
    for (place, slot, _) in removals { try remove(slot, at: place, edits, view) }
    for slot in plan.leaving { forget(slot) }
    for (slot, row) in plan.moving {
      keys.replace(Int(slot), with: row, of: edits.batch.order)
      note(slot, row, edits)
    }
    for (slot, row) in plan.arriving { note(slot, row, edits) }
    let incoming = plan.moving + plan.arriving
    for (index, place) in try insertionPlaces(of: incoming.map(\.slot), view) {
      try insert(incoming[index].slot, incoming[index].row, at: place, edits, view)
    }
    noteNewPaths()
  }

  /// A row in its old place, with its row of the batch unless it leaves.
  typealias OldRow = (place: Int, slot: UInt32, row: Int?)

  /// Records the batch's data about a row, except its position. Returns whether its content has changed.
  @discardableResult
  private func note(_ slot: UInt32, _ row: Int, _ edits: Edits) -> Bool {
    edits.fresh[slot] = row
    for partner in partners.indices { partners[partner].set(slot, edits.batch.partners[partner][row]) }
    if edits.batch.fingerprints.isEmpty { return false }
    return note(content: edits.batch.fingerprints[row], of: slot)
  }

  @discardableResult
  func note(content: UInt64, of slot: UInt32) -> Bool {
    if Int(slot) == fingerprints.count {
      fingerprints.append(content)
      return true
    }
    if fingerprints[Int(slot)] == content { return false }
    before?.fingerprints.append((slot, fingerprints[Int(slot)]))
    fingerprints[Int(slot)] = content
    return true
  }

  private func stay(_ slot: UInt32, _ row: Int, at place: Int, _ edits: Edits) {
    let isOther = note(slot, row, edits)
    guard let path = path(ofPlace: place) else { return }
    if path.item == 0 { edits.first.append(slot) }
    if isWindowed { edits.shown[slot] = .some(row) }
    let isSame = storage.isSame(path, row)
    let hasSameContent = storage.canCompare ? isSame.content : !isOther
    if isSame.id, hasSameContent { return }
    single?.old = path
    single?.new = path
    single?.isUpdated = true
    if !isSame.id {
      single?.isUnclear = true
      several = nil
    }
    several?.rows.append(.init(kind: .stays, slot: slot, old: path, isUpdated: !hasSameContent))
    storage.replace(path, row)
  }

  private func remove(_ slot: UInt32, at place: Int, _ edits: Edits, _ view: any EngineView) throws {
    before?.edits.append((slot, place, isInsertion: false))
    if hasOutsideSections { try countRows(of: slot, between: place - 1, and: place + 1, -1, view) }
    if shown.contains(place) {
      single?.old = path(ofPlace: place)
      try takeOff(place, next: place + 1 < slots.count ? place + 1 : nil, edits, view)
      slots.remove(at: place)
      shown = shown.lowerBound..<shown.upperBound - 1
    } else {
      slots.remove(at: place)
      if place < shown.lowerBound { shown = shown.lowerBound - 1..<shown.upperBound - 1 }
    }
  }

  /// Removes a row from the storage, and its section with the last one. `next` is the position of the row after it.
  func takeOff(_ place: Int, next: Int?, _ edits: Edits, _ view: any EngineView) throws {
    guard let (path, count) = storage.path(place - shown.lowerBound) else { return }
    if isWindowed {
      edits.shown[slots[place]] = .some(nil)
      if !storage.canCompare { storage.remember(path, fingerprints[Int(slots[place])]) }
    }
    if count == 1, order.hasSections {
      single?.deletedSection = path.section
      several = nil
      if checksSections { try sectionIDs.remove(storage.title(path.section).id, comparisonOfShown(view)) }
      storage.removeSection(path.section)
      return
    }
    storage.remove(path)
    if path.item == 0, count > 1, let next { edits.first.append(slots[next]) }
  }

  private func forget(_ slot: UInt32) {
    if let key = index?.key(slot) { index?.remove(key) }
    for partner in partners.indices { partners[partner].set(slot, nil) }
    freeSlots.append(slot)
  }

  private func insert(
    _ slot: UInt32, _ row: Int, at place: Int, _ edits: Edits, _ view: any EngineView
  ) throws {
    defer {
      before?.edits.append((slot, place, isInsertion: true))
      slots.insert(slot, at: place)
    }
    if hasOutsideSections { try countRows(of: slot, between: place - 1, and: place, 1, view) }
    // At the ends of a window, the row may belong into it or not; `moveWindow` decides that.
    if isWindowed, place <= shown.lowerBound || place >= shown.upperBound {
      if place <= shown.lowerBound { shown = shown.lowerBound + 1..<shown.upperBound + 1 }
      return
    }
    let neighbours: Neighbours = (
      place > shown.lowerBound ? slots[place - 1] : nil, place < shown.upperBound ? slots[place] : nil
    )
    try putOn(slot, row, edits.batch.names[row] ?? "", at: place - shown.lowerBound, neighbours, edits, view)
    shown = shown.lowerBound..<shown.upperBound + 1
  }

  /// Puts a row in the storage before the shown row with the number `place`, in the section of a neighbour or in a new
  /// one.
  func putOn(
    _ slot: UInt32, _ row: Int, _ name: String, at place: Int, _ neighbours: Neighbours, _ edits: Edits,
    _ view: any EngineView
  ) throws {
    if isWindowed { edits.shown[slot] = .some(row) }
    guard order.hasSections else {
      single?.new = ItemPath(section: 0, item: place)
      storage.insert(ItemPath(section: 0, item: place), row)
      return
    }
    let bytes = keys.sectionBytes(Int(slot))
    if let before = neighbours.before, try areOfOneSection(keys.sectionBytes(Int(before)), bytes, view),
      let path = storage.path(place - 1)?.path
    {
      single?.new = ItemPath(section: path.section, item: path.item + 1)
      storage.insert(ItemPath(section: path.section, item: path.item + 1), row)
    } else if let after = neighbours.after, try areOfOneSection(bytes, keys.sectionBytes(Int(after)), view),
      let path = storage.path(place)?.path
    {
      single?.new = path
      storage.insert(path, row)
      edits.first.append(slot)
    } else {
      let section = place == 0 ? 0 : (storage.path(place - 1)?.path.section ?? -1) + 1
      let id = sectionID(bytes)
      if checksSections {
        let comparison = comparisonOfShown(view)
        if try sectionIDs.number(of: id, comparison) != nil { throw disagreement(id, name) }
        try sectionIDs.insert(id, 0, comparison)
      }
      single?.new = ItemPath(section: section, item: 0)
      single?.insertedSection = section
      several = nil
      storage.insertSection(id, name, row, section)
    }
  }

  /// Updates the number of places at which a slot's section has rows, for a row that is inserted or removed between two
  /// positions. It changes only if neither neighbour belongs to the section.
  private func countRows(
    of slot: UInt32, between before: Int, and after: Int, _ change: Int, _ view: any EngineView
  ) throws {
    let bytes = keys.sectionBytes(Int(slot))
    for place in [before, after] where place >= 0 && place < slots.count {
      if try areOfOneSection(keys.sectionBytes(Int(slots[place])), bytes, view) {
        // The row's neighbour belongs to the same section, so the number of places stays.
        return
      }
    }
    let id = sectionID(bytes)
    let number = try sectionsWithRows.add(change, to: id, comparison(view))
    if number == 0 || number == 1 { otherWithRows.append(id) }
  }

  /// The path of the row at a position, if it is shown.
  func path(ofPlace place: Int?) -> ItemPath? {
    guard let place, shown.contains(place) else { return nil }
    return storage.path(place - shown.lowerBound)?.path
  }

  // MARK: Afterwards

  /// Renames the sections whose first row has changed.
  private func renameSections(_ edits: Edits, _ view: any EngineView) throws {
    guard order.hasSections else { return }
    for slot in edits.first {
      guard let path = path(ofPlace: slots.place(of: slot)), path.item == 0 else { continue }
      let section = storage.title(path.section)
      let id = sectionID(keys.sectionBytes(Int(slot)))
      let name = try name(ofFirst: slot, id, edits, view)
      if id != section.id {
        // For a custom collation, the first row is the only source for a section's name.
        single?.isUnclear = true
        several = nil
        if checksSections {
          let comparison = comparisonOfShown(view)
          try sectionIDs.remove(section.id, comparison)
          try sectionIDs.insert(id, 0, comparison)
        }
        storage.retitle(path.section, id, name)
      } else if !name.utf8.elementsEqual(section.name.utf8) {
        // A name that is the same is not reported, as in all differences.
        if name != section.name {
          single?.renamedSections.append(path.section)
          several?.renamedSections.append(path.section)
        }
        storage.retitle(path.section, id, name)
      }
    }
  }

  private func name(ofFirst slot: UInt32, _ id: SectionID, _ edits: Edits, _ view: any EngineView) throws -> String {
    if let name = edits.name(of: slot) { return name }
    if let name = nameOfID(id) { return name }
    guard let key = index?.key(slot) else { return "" }
    extraRowsRead += 1
    let read = try query.rows(of: [key], view, onto: storage)
    // Another program has deleted the row or moved it to another section, and we have not received that commit yet: the
    // list must be fetched again.
    let isInSection = withExtendedLifetime(read) {
      read.count == 1 && KeyBuffer.compare(read.order.sectionBytes(0), keys.sectionBytes(Int(slot))) == 0
    }
    guard isInSection else { throw Outdated() }
    return read.names[0] ?? ""
  }

  /// Thrown if the read is newer than the commits received so far.
  struct Outdated: Error {}

  /// Frees the memory of unused keys, if it is more than that of the used ones.
  private func compactKeys() {
    guard keys.end > 1 << 16, keys.end > 2 * keys.liveSize else { return }
    keys.compact()
  }
}
