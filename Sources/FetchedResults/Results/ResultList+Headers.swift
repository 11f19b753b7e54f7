import DataSources

extension ResultList {
  /// Shows the sections with rows together with those that exist without rows.
  ///
  /// A section whose order is known is placed by it. Any other follows the section listed before it; if there is none,
  /// it precedes the first section listed after it.
  func show(_ view: any EngineView) throws {
    shelf.showRows()
    if headers.isEmpty { return }
    var ids = (0..<shelf.sectionCount()).map { shelf.title($0).id }
    var prefixes = (0..<ids.count).map { Array(sectionBytes($0)) }
    work.sections += ids.count + headers.count
    // The index of each section, until one is inserted before it.
    var places: [SectionID: Int] = [:]
    for (place, id) in ids.enumerated() { places[id] = place }
    let outside = isWindowed ? try sectionsWithRows(view) : []
    var waiting: [(id: SectionID, name: String)] = []
    var previous: Int?
    func insert(_ section: (id: SectionID, name: String), _ prefix: [UInt8], at place: Int) {
      shelf.showEmptySection(section.id, section.name, place)
      ids.insert(section.id, at: place)
      prefixes.insert(prefix, at: place)
      work.sections += places.count
      for (id, other) in places where other >= place { places[id] = other + 1 }
      places[section.id] = place
    }
    for header in headers {
      let id = header.value.withUnsafeBufferPointer { bytes in
        var reader = KeyReader(bytes)
        return reader.read(order.parts[order.sectionOrderParts])
      }
      if let place = try standing(id, ids, places, view) {
        for section in waiting.reversed() { insert(section, [], at: place) }
        previous = place + waiting.count
        waiting = []
        continue
      }
      // A section whose rows are all outside the window is not empty.
      if isWindowed, try isAmong(outside, id, view) { continue }
      let section = (id: id, name: header.name)
      if let prefix = header.order {
        insert(section, prefix, at: try place(of: prefix, among: prefixes, view))
      } else if let place = previous {
        insert(section, [], at: place + 1)
        previous = place + 1
      } else {
        waiting.append(section)
      }
    }
    for section in waiting { insert(section, [], at: ids.count) }
  }

  /// The index of the section with an id; under a custom collation, an equal id is enough.
  private func standing(
    _ id: SectionID, _ ids: [SectionID], _ places: [SectionID: Int], _ view: any EngineView
  ) throws -> Int? {
    if let place = places[id] { return place }
    guard case .asked(let collation) = order.parts[order.sectionOrderParts].text, case .text(let text) = id else {
      return nil
    }
    for (place, other) in ids.enumerated() {
      work.comparisons += 1
      if case .text(let other) = other, try view.compare(collation, text, other) == 0 { return place }
    }
    return nil
  }

  private func isAmong(_ ids: Set<SectionID>, _ id: SectionID, _ view: any EngineView) throws -> Bool {
    if ids.contains(id) { return true }
    return try isEqualByCollation(id, toOneOf: ids, view)
  }

  /// The sections that have rows, inside the window or not.
  private func sectionsWithRows(_ view: any EngineView) throws -> Set<SectionID> {
    if !isFollowed { return outsideSections }
    var ids: Set<SectionID> = []
    var place = 0
    while place < slots.count {
      work.sections += 1
      let first = keys.sectionBytes(Int(slots[place]))
      ids.insert(sectionID(first))
      // The next section begins where this one ends.
      place = try (place..<slots.count).partitioningIndex {
        try !areOfOneSection(first, keys.sectionBytes(Int(slots[$0])), view)
      }
    }
    return ids
  }

  private func place(of prefix: [UInt8], among prefixes: [[UInt8]], _ view: any EngineView) throws -> Int {
    try prefixes.partitioningIndex { other in
      try prefix.withUnsafeBufferPointer { prefix in
        try other.withUnsafeBufferPointer { other in
          if !asksEngine { return KeyBuffer.compare(other, prefix) > 0 }
          return try order.compare(other, prefix, parts: order.sectionParts) { try view.compare($0, $1, $2) } > 0
        }
      }
    }
  }

  /// The order key of a section with rows.
  private func sectionBytes(_ section: Int) -> UnsafeBufferPointer<UInt8> {
    guard isFollowed else { return keys.sectionBytes(sectionEntries[section]) }
    return keys.sectionBytes(Int(slots[shelf.start(section) + window.lowerBound]))
  }
}
