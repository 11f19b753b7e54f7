import DataSources
import RowModel

// Where the changed rows of a commit belong, and what of the list's memory an edit is about to need.
//
// In a long list, each changed row is in a part of memory of its own, which the processor must load first. Most of an
// edit's time would be waiting for that, row after row. So what is needed for several rows is named beforehand, and is
// loaded while the processor goes on.

extension ResultList {
  /// Where to insert slots that are not in the order: the index of each, in the order in which to insert them, and its
  /// position once those before it have been inserted.
  func insertionPlaces(of added: [UInt32], _ view: any EngineView) throws -> [(index: Int, place: Int)] {
    if added.count == 1 { return [(0, try insertionPlace(of: added[0], view))] }
    let keys = keys
    var comparisons = 0
    defer { work.comparisons += comparisons }
    let places: [Int]
    if loadsAhead(added.count) {
      places = try slots.partitions(
        added.count,
        prefetching: { slot, stage in
          switch stage {
          case .reference: keys.prefetchStart(Int(slot))
          case .content: keys.prefetch(Int(slot))
          }
        },
        { slot, search in
          comparisons += 1
          let (left, right) = (keys.bytes(Int(slot)), keys.bytes(Int(added[search])))
          return try compare(left, right, view) < 0
        })
      storage.prefetch(places.map { $0 - shown.lowerBound })
    } else {
      places = try added.map { try insertionPlace(of: $0, view) }
    }
    let order = try added.indices.sorted { left, right in
      if places[left] != places[right] { return places[left] < places[right] }
      comparisons += 1
      return try compare(keys.bytes(Int(added[left])), keys.bytes(Int(added[right])), view) < 0
    }
    return order.enumerated().map { (index: $1, place: places[$1] + $0) }
  }

  /// The position of a slot that is not in the order.
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

  // MARK: Loading memory ahead

  /// Whether memory is loaded ahead for so many rows. What a thousand rows need would push each other out of the cache.
  func loadsAhead(_ count: Int) -> Bool { count > 1 && count <= 512 }

  /// Begins to load what is needed to find the slots of keys and to compare their order keys.
  func prefetchKeys(_ changed: [RowKey]) {
    guard let index else { return }
    index.prefetch(changed)
    let slots = changed.compactMap { index.slot(of: $0) }
    for slot in slots { keys.prefetchStart(Int(slot)) }
    for slot in slots { keys.prefetch(Int(slot)) }
  }

  /// Finds the rows that are in the list: those to remove, of which some are inserted again, and those that stay.
  func oldPlaces(of plan: Plan) -> (removals: [OldRow], staying: [OldRow]) {
    var (removals, staying): ([OldRow], [OldRow]) = ([], [])
    if loadsAhead(plan.count) { slots.prefetch(plan.leaving + (plan.moving + plan.staying).map(\.slot)) }
    for slot in plan.leaving { if let place = slots.place(of: slot) { removals.append((place, slot, nil)) } }
    for (slot, row) in plan.moving { if let place = slots.place(of: slot) { removals.append((place, slot, row)) } }
    for (slot, row) in plan.staying { if let place = slots.place(of: slot) { staying.append((place, slot, row)) } }
    if loadsAhead(plan.count) { storage.prefetch((removals + staying).map { $0.place - shown.lowerBound }) }
    return (removals, staying)
  }
}
