import FetchedResultsSupport
import RowModel

/// Finds the slot of a row by the key of the entity's row, which has one slot at most.
///
/// For numbers, the usual case, it is a table of slots with open addressing: four bytes for each place, and the keys
/// are looked up in the slots. So indexing a million rows takes a few milliseconds.
struct SlotIndex {
  private(set) var keys = RowKeys()
  private(set) var places: ContiguousArray<UInt32> = []
  private(set) var mask = 0
  /// The number of places that are not free: those of slots and those of removed ones.
  private(set) var used = 0
  private(set) var slotsOfValues: [[Value]: UInt32] = [:]

  /// While there is no key yet, either kind may be added.
  var isNumbered: Bool { keys.values.isEmpty }

  static let none = UInt32.max
  static let removed = UInt32.max - 1

  /// Indexes the keys of the slots from 0. Throws if a key occurs twice, with its second slot.
  init(_ keys: RowKeys, count: Int) throws(Repeated) {
    self.keys = keys
    if !isNumbered {
      slotsOfValues.reserveCapacity(count)
      for slot in 0..<count where slotsOfValues.updateValue(UInt32(slot), forKey: keys.values[slot]) != nil {
        throw Repeated(slot: slot)
      }
      return
    }
    try rebuild(count: count)
  }

  /// A key occurs twice.
  struct Repeated: Error { let slot: Int }

  private mutating func rebuild(count: Int) throws(Repeated) {
    var size = 16
    while size < count * 2 { size *= 2 }
    places = ContiguousArray(repeating: Self.none, count: size)
    mask = size - 1
    used = 0
    for slot in 0..<count where !put(keys.numbers[slot], UInt32(slot)) { throw Repeated(slot: slot) }
  }

  @inline(__always)
  func start(_ key: Int64) -> Int {
    // Consecutive keys stay neighbours in blocks, which makes good use of the cache.
    let block = UInt64(bitPattern: key >> 4) &* 0x9E37_79B9_7F4A_7C15
    return Int(truncatingIfNeeded: (block >> 20) << 4 | UInt64(bitPattern: key & 15)) & mask
  }

  @inline(__always)
  private mutating func put(_ key: Int64, _ slot: UInt32) -> Bool {
    var place = start(key)
    while places[place] != Self.none {
      if places[place] != Self.removed, keys.numbers[Int(places[place])] == key { return false }
      place = (place + 1) & mask
    }
    places[place] = slot
    used += 1
    return true
  }

  func slot(of key: RowKey) -> UInt32? {
    switch key {
    case .number(let number):
      guard mask > 0 else { return nil }
      return place(of: number).map { places[$0] }
    case .values(let values): return slotsOfValues[values]
    }
  }

  /// Begins to load what `slot(of:)` reads for these keys.
  func prefetch(_ keys: [RowKey]) {
    guard mask > 0 else { return }
    places.withUnsafeBufferPointer { places in
      guard let base = places.baseAddress else { return }
      for case .number(let number) in keys { Processor.prefetch(base + start(number)) }
      self.keys.numbers.withUnsafeBufferPointer { numbers in
        guard let first = numbers.baseAddress else { return }
        for case .number(let number) in keys {
          let slot = places[start(number)]
          if slot < Self.removed { Processor.prefetch(first + Int(slot)) }
        }
      }
    }
  }

  private func place(of key: Int64) -> Int? {
    var place = start(key)
    while places[place] != Self.none {
      if places[place] != Self.removed, keys.numbers[Int(places[place])] == key { return place }
      place = (place + 1) & mask
    }
    return nil
  }

  func key(_ slot: UInt32) -> RowKey { isNumbered ? .number(keys.numbers[Int(slot)]) : .values(keys.values[Int(slot)]) }

  /// Adds a row that is not in the index. `slot` is a free one, or the next.
  mutating func insert(_ key: RowKey, at slot: UInt32) {
    switch key {
    case .number(let number):
      if Int(slot) == keys.numbers.count { keys.numbers.append(number) } else { keys.numbers[Int(slot)] = number }
      if used * 4 > places.count * 3 { grow() }
      _ = put(number, slot)
    case .values(let values):
      if Int(slot) == keys.values.count { keys.values.append(values) } else { keys.values[Int(slot)] = values }
      slotsOfValues[values] = slot
    }
  }

  private mutating func grow() {
    let live = places.filter { $0 < Self.removed }
    var size = 16
    while size < live.count * 4 { size *= 2 }
    places = ContiguousArray(repeating: Self.none, count: size)
    mask = size - 1
    used = 0
    for slot in live { _ = put(keys.numbers[Int(slot)], slot) }
  }

  mutating func remove(_ key: RowKey) {
    switch key {
    case .number(let number): if let place = place(of: number) { places[place] = Self.removed }
    case .values(let values): slotsOfValues[values] = nil
    }
  }
}
