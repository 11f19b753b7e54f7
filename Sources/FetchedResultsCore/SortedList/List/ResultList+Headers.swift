import DataSources

extension ResultList {
  /// Shows the sections with rows together with those that exist without rows.
  ///
  /// A section whose order is known is placed by it. Any other follows the section listed before it; without one,
  /// it precedes the first section listed after it.
  func show(_ view: any EngineView) throws {
    if headers.isEmpty {
      headerIDs = SectionIDs()
      storage.showRows()
      return
    }
    if isShown, try showDifference(view) { return }
    try showAll(view)
    isShown = true
  }

  /// Records the sections that exist without rows. Of those with equal ids, the first one counts.
  func setHeaders(_ headers: [SectionHeader], _ view: any EngineView) throws {
    self.headers = []
    work.headers += headers.count
    headerIDs = SectionIDs()
    haveHeadersOrder = headers.allSatisfy { $0.order != nil }
    isShown = false
    if headers.isEmpty { return }
    let comparison = comparison(view)
    for header in headers {
      let id = id(of: header)
      if try headerIDs.number(of: id, comparison) != nil { continue }
      try headerIDs.insert(id, self.headers.count, comparison)
      self.headers.append(header)
    }
  }

  private func id(of header: SectionHeader) -> SectionID {
    header.value.withUnsafeBufferPointer { bytes in
      var reader = KeyReader(bytes)
      return reader.read(order.parts[order.sectionOrderParts])
    }
  }

  // MARK: All of them

  /// Arranges all sections: in O(s + h log h) for s sections with rows and h without.
  private func showAll(_ view: any EngineView) throws {
    let comparison = comparison(view)
    let count = storage.sectionCount()
    work.sections += headers.count
    var known = SectionIDs()
    for section in 0..<count { try known.insert(storage.title(section).id, section, comparison) }
    if isWindowed, !isFollowed || !isShown { sectionsWithRows = try findSectionsWithRows(comparison, view) }
    // From `count` on, the sections without rows.
    var empty: [SectionHeader] = []
    var list = Arrangement(count: count)
    for header in headers {
      let id = id(of: header)
      if let section = try known.number(of: id, comparison) {
        list.pass(section)
        continue
      }
      // A section whose rows are all outside the window is not empty.
      if isWindowed, try sectionsWithRows.number(of: id, comparison) != nil { continue }
      if header.order == nil { list.append(count + empty.count) }
      empty.append(header)
    }
    let all = empty.contains { $0.order == nil } ? list.all : try merged(count, empty, view)
    storage.shown.arrange(all, empty.map { (id(of: $0), $0.name) })
  }

  /// Merges the sections without rows into the others by their order.
  private func merged(_ count: Int, _ empty: [SectionHeader], _ view: any EngineView) throws -> [Int] {
    let prefixes = empty.map { $0.order ?? [] }
    let sorted = try empty.indices.sorted { left, right in
      let order = try compare(prefixes[left], prefixes[right], view)
      return order == 0 ? left < right : order < 0
    }
    var all: [Int] = []
    var section = 0
    for number in sorted {
      while section < count, try compare(sectionBytes(section), prefixes[number], view) <= 0 {
        all.append(section)
        section += 1
      }
      all.append(count + number)
    }
    return all + Array(section..<count)
  }

  /// Sections in a row, where one can be inserted behind another. Those from 0 are there from the beginning.
  private struct Arrangement {
    private var next: [Int]
    private var first: Int
    /// The section behind which the next one belongs.
    private var previous: Int?
    /// Sections that belong before the first one that is passed.
    private var waiting: [Int] = []
    private var before: (section: Int, waiting: [Int])?

    init(count: Int) {
      next = (0..<count).map { $0 + 1 < count ? $0 + 1 : -1 }
      first = count > 0 ? 0 : -1
    }

    /// The list of headers has come to a section that is there.
    mutating func pass(_ section: Int) {
      if previous == nil, !waiting.isEmpty {
        before = (section, waiting)
        waiting = []
      }
      previous = section
    }

    /// Adds the next number.
    mutating func append(_ section: Int) {
      next.append(-1)
      guard let previous else { return waiting.append(section) }
      next[section] = next[previous]
      next[previous] = section
      self.previous = section
    }

    var all: [Int] {
      var all: [Int] = []
      var section = first
      while section >= 0 {
        if let before, before.section == section { all += before.waiting }
        all.append(section)
        section = next[section]
      }
      return all + waiting
    }
  }

  /// The sections that have rows, inside the window or not.
  private func findSectionsWithRows(_ comparison: SectionIDs.Comparison?, _ view: any EngineView) throws -> SectionIDs {
    var ids = SectionIDs()
    if !isFollowed {
      for id in outsideSections where try ids.number(of: id, comparison) == nil { try ids.insert(id, 0, comparison) }
      return ids
    }
    var place = 0
    while place < slots.count {
      work.sections += 1
      let first = keys.sectionBytes(Int(slots[place]))
      let id = sectionID(first)
      _ = try ids.add(1, to: id, comparison)
      // The next section begins where this one ends.
      place = try (place..<slots.count).partitioningIndex {
        try !areOfOneSection(first, keys.sectionBytes(Int(slots[$0])), view)
      }
    }
    return ids
  }

  // MARK: Those that differ

  /// Brings the shown sections up to date in those that an update has changed: in O(k log n) for k of them. Returns
  /// false if all must be arranged again.
  private func showDifference(_ view: any EngineView) throws -> Bool {
    let (old, new) = storage.shown.differing()
    let isSame = otherWithRows.isEmpty && old.count == new.count && zip(old, new).allSatisfy { $0.id == $1.id }
    // Without an order of its own, an empty section's place depends on the whole list of them.
    if !haveHeadersOrder {
      // Sections that have moved have the same ids in other places.
      guard isSame, zip(old, new).allSatisfy({ $0.number == $1.number }) else { return false }
      for section in new {
        let place = storage.shown.section(ofRow: section.start)
        storage.shown.hide(place)
        storage.shown.show(section.number, place)
      }
      return true
    }
    for section in old.reversed() { storage.shown.hide(storage.shown.section(ofRow: section.start)) }
    for section in new { storage.shown.show(section.number, try place(of: section, view)) }
    if !isSame { try exchangeEmpty(old, new, view) }
    return true
  }

  /// Removes the empty sections that have rows now, and inserts those that have none any more.
  private func exchangeEmpty(_ old: [ShownSection], _ new: [ShownSection], _ view: any EngineView) throws {
    let comparison = comparison(view)
    func numbers(_ ids: [SectionID]) throws -> Set<Int> {
      Set(try ids.compactMap { try headerIDs.number(of: $0, comparison) })
    }
    let after = try numbers(new.map(\.id))
    for number in try numbers(old.map(\.id) + otherWithRows).union(after).sorted() {
      let header = headers[number]
      let id = id(of: header)
      let hasRows = isWindowed ? try sectionsWithRows.number(of: id, comparison) != nil : after.contains(number)
      let end = try placeByOrder(header.order ?? [], view)
      // A section with rows may follow that has the same order.
      let place = try [end - 1, end - 2].first {
        try $0 >= 0 && storage.shown.start($0) == nil
          && headerIDs.number(of: storage.shown.id($0), comparison) == number
      }
      if let place, hasRows { storage.shown.hide(place) }
      if place == nil, !hasRows { storage.showEmptySection(id, header.name, end) }
    }
  }

  /// The place of a section with rows: between those of the rows before and after it, among the empty ones there.
  private func place(of section: ShownSection, _ view: any EngineView) throws -> Int {
    let low = section.start == 0 ? 0 : storage.shown.section(ofRow: section.start - 1) + 1
    let high = storage.shown.hasRow(section.start) ? storage.shown.section(ofRow: section.start) : storage.shown.count()
    let bytes = sectionBytes(section.number)
    return try (low..<high).partitioningIndex { try compare(bytes, try order(ofShown: $0), view) < 0 }
  }

  /// The first place whose section belongs after an order.
  private func placeByOrder(_ prefix: [UInt8], _ view: any EngineView) throws -> Int {
    try (0..<storage.shown.count()).partitioningIndex { try compare(try order(ofShown: $0), prefix, view) > 0 }
  }

  /// The order of a shown section.
  private func order(ofShown place: Int) throws -> [UInt8] {
    if let start = storage.shown.start(place) { return Array(keys.sectionBytes(Int(slots[start + shown.lowerBound]))) }
    return try headerIDs.number(of: storage.shown.id(place), nil).flatMap { headers[$0].order } ?? []
  }

  // MARK: Orders

  private func compare(_ left: [UInt8], _ right: [UInt8], _ view: any EngineView) throws -> Int {
    try left.withUnsafeBufferPointer { try compare($0, right, view) }
  }

  private func compare(_ left: UnsafeBufferPointer<UInt8>, _ right: [UInt8], _ view: any EngineView) throws -> Int {
    try right.withUnsafeBufferPointer { right in
      work.comparisons += 1
      if !asksEngine { return KeyBuffer.compare(left, right) }
      return try order.compare(left, right, parts: order.sectionParts) { try view.compare($0, $1, $2) }
    }
  }

  /// The order key of a section with rows.
  private func sectionBytes(_ section: Int) -> UnsafeBufferPointer<UInt8> {
    guard isFollowed else { return keys.sectionBytes(sectionEntries[section]) }
    return keys.sectionBytes(Int(slots[storage.start(section) + shown.lowerBound]))
  }
}
