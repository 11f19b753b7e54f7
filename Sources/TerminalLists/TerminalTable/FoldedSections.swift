import DataSources

/// The indices of the folded sections, ascending.
struct FoldedSections {
  private(set) var places: [Int] = []

  init() {}

  /// Finds sections in a content.
  ///
  /// Complexity: O(number of sections), and O(1) if none is folded.
  init(_ ids: Set<SectionID>, in content: some ListContent) {
    if ids.isEmpty { return }
    for section in 0..<content.numberOfSections where ids.contains(content.sectionID(at: section)) {
      places.append(section)
    }
  }

  func contains(_ section: Int) -> Bool { first(from: section) == section }

  /// The first one from a section on.
  func first(from section: Int) -> Int? {
    let index = places.partitioningIndex { $0 >= section }
    return index < places.count ? places[index] : nil
  }

  /// The last one up to a section.
  func last(upTo section: Int) -> Int? {
    let index = places.partitioningIndex { $0 > section }
    return index > 0 ? places[index - 1] : nil
  }

  mutating func insert(_ section: Int) {
    let index = places.partitioningIndex { $0 >= section }
    if index == places.count || places[index] != section { places.insert(section, at: index) }
  }

  mutating func remove(_ section: Int) {
    let index = places.partitioningIndex { $0 >= section }
    if index < places.count, places[index] == section { places.remove(at: index) }
  }

  /// Applies a change of the list.
  ///
  /// Complexity: O(number of folded sections) if sections were inserted, deleted or moved, otherwise O(1).
  mutating func follow(_ changes: Changes, _ ids: Set<SectionID>, in content: some ListContent) {
    if ids.isEmpty
      || (changes.deletedSections.isEmpty && changes.insertedSections.isEmpty && changes.movedSections.isEmpty)
    {
      return
    }
    let numbering = SectionNumbering(changes)
    var new = places.compactMap(numbering.newIndex)
    new += changes.insertedSections.filter { ids.contains(content.sectionID(at: $0)) }
    places = new.sorted()
  }
}
