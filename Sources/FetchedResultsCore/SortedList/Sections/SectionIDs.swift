import DataSources

/// The ids of some sections, each with a number: finds a section by an id that is the same or, under a custom
/// collation, equal.
///
/// Complexity: O(1) for an id that is the same, and O(log s) comparisons for an equal one.
struct SectionIDs {
  /// Compares two texts under the collation.
  typealias Comparison = (_ left: String, _ right: String) throws -> Int

  private struct Text: Sendable {
    var text: String
    var number: Int
  }

  private var numbers: [SectionID: Int] = [:]
  /// The texts in the order of the collation.
  private var texts = CountedTree<UnitMeasure<Text>>()

  /// The ids that are the same are found at once; others only if there is a collation to compare by.
  func number(of id: SectionID, _ compare: Comparison?) throws -> Int? { try entry(of: id, compare)?.number }

  private func entry(of id: SectionID, _ compare: Comparison?) throws -> (id: SectionID, number: Int)? {
    if let number = numbers[id] { return (id, number) }
    guard let compare, case .text(let text) = id else { return nil }
    let place = try texts.partitioningOffset { try compare($0.text, text) >= 0 }
    guard place < texts.count, try compare(texts[place].text, text) == 0 else { return nil }
    return (.text(texts[place].text), texts[place].number)
  }

  /// Adds to the number of an id, which is 0 for others, and returns it. An id whose number becomes 0 is removed.
  mutating func add(_ change: Int, to id: SectionID, _ compare: Comparison?) throws -> Int {
    let known = try entry(of: id, compare)
    if let known { try remove(known.id, compare) }
    let number = (known?.number ?? 0) + change
    if number > 0 { try insert(known?.id ?? id, number, compare) }
    return number
  }

  /// Adds an id that `number(of:_:)` does not find.
  mutating func insert(_ id: SectionID, _ number: Int, _ compare: Comparison?) throws {
    numbers[id] = number
    guard let compare, case .text(let text) = id else { return }
    let place = try texts.partitioningOffset { try compare($0.text, text) >= 0 }
    texts.insert(Text(text: text, number: number), at: place)
  }

  /// Removes an id.
  mutating func remove(_ id: SectionID, _ compare: Comparison?) throws {
    numbers[id] = nil
    guard let compare, case .text(let text) = id else { return }
    let place = try texts.partitioningOffset { try compare($0.text, text) >= 0 }
    if place < texts.count, texts[place].text.utf8.elementsEqual(text.utf8) { texts.remove(at: place) }
  }
}
