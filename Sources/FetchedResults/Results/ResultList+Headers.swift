import DataSources

extension ResultList {
  /// The rows' sections together with those that stand without rows.
  ///
  /// One whose order is known stands where that puts it. One whose isn't stands behind the section that was listed before it, or
  /// where there is none before the first that was listed after it.
  func withHeaders(_ view: any EngineView) throws -> Snapshot<E> {
    if headers.isEmpty { return rows }
    var result = rows
    var prefixes = (0..<rows.count).map { Array(sectionBytes($0)) }
    var places: [SectionID: Int] = [:]
    for (place, section) in rows.enumerated() { places[section.id] = place }
    var waiting: [Section<E>] = []
    var previous: Int?
    func insert(_ section: Section<E>, _ prefix: [UInt8], at place: Int) {
      result.insertSection(section, at: place)
      prefixes.insert(prefix, at: place)
      for (id, other) in places where other >= place { places[id] = other + 1 }
      places[section.id] = place
    }
    for header in headers {
      let id = header.value.withUnsafeBufferPointer { bytes in
        var reader = KeyReader(bytes)
        return reader.read(order.parts[order.sectionOrderParts])
      }
      if let place = try standing(id, result, places, view) {
        for section in waiting.reversed() { insert(section, [], at: place) }
        previous = place + waiting.count
        waiting = []
        continue
      }
      let section = Section<E>(id: id, name: header.name, items: EmptyCollection())
      if let prefix = header.order {
        insert(section, prefix, at: try place(of: prefix, among: prefixes, view))
      } else if let place = previous {
        insert(section, [], at: place + 1)
        previous = place + 1
      } else {
        waiting.append(section)
      }
    }
    for section in waiting { insert(section, [], at: result.count) }
    return result
  }

  /// Where the section of an id stands; by a collation of one's own, any id that is equal to it will do.
  private func standing(
    _ id: SectionID, _ list: Snapshot<E>, _ places: [SectionID: Int], _ view: any EngineView
  ) throws -> Int? {
    if let place = places[id] { return place }
    guard case .asked(let collation) = order.parts[order.sectionOrderParts].text, case .text(let text) = id else {
      return nil
    }
    for (place, section) in list.enumerated() {
      if case .text(let other) = section.id, try view.compare(collation, text, other) == 0 { return place }
    }
    return nil
  }

  private func place(of prefix: [UInt8], among prefixes: [[UInt8]], _ view: any EngineView) throws -> Int {
    try prefixes.partitioningIndex { other in
      try prefix.withUnsafeBufferPointer { prefix in
        try other.withUnsafeBufferPointer { other in
          if !order.asksEngine { return KeyBuffer.compare(other, prefix) > 0 }
          return try order.compare(other, prefix, parts: order.sectionParts) { try view.compare($0, $1, $2) } > 0
        }
      }
    }
  }

  /// What orders a section with rows.
  private func sectionBytes(_ section: Int) -> UnsafeBufferPointer<UInt8> {
    guard isFollowed else { return keys.sectionBytes(sectionEntries[section]) }
    let offset = rows.offset(of: ItemPath(section: section, item: 0)) ?? 0
    return keys.sectionBytes(Int(slots[offset + window.lowerBound]))
  }
}
