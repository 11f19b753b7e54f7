extension Changes: Codable {
  private enum CodingKeys: String, CodingKey, CaseIterable {
    case deletedSections
    case insertedSections
    case movedSections
    case updatedSections
    case deletedItems
    case insertedItems
    case movedItems
    case updatedItems
  }

  /// Decodes a difference; a missing part is empty. An unknown part is an error, and so are numbers that no list can
  /// have: arithmetic with the numbers of a difference never overflows.
  public init(from decoder: any Decoder) throws {
    let names = try decoder.container(keyedBy: PartName.self).allKeys.map(\.stringValue)
    let container = try decoder.container(keyedBy: CodingKeys.self)
    if let unknown = names.filter({ CodingKeys(stringValue: $0) == nil }).min() {
      let known = CodingKeys.allCases.map(\.stringValue).joined(separator: ", ")
      throw DecodingError.dataCorrupted(
        DecodingError.Context(
          codingPath: container.codingPath,
          debugDescription: "changes have no part \"\(unknown)\"; the parts are \(known)"))
    }
    func part<Place: Decodable>(_ key: CodingKeys) throws -> [Place] {
      try container.decodeIfPresent([Place].self, forKey: key) ?? []
    }
    self.init(
      deletedSections: try part(.deletedSections), insertedSections: try part(.insertedSections),
      movedSections: try part(.movedSections), updatedSections: try part(.updatedSections),
      deletedItems: try part(.deletedItems), insertedItems: try part(.insertedItems),
      movedItems: try part(.movedItems), updatedItems: try part(.updatedItems))
    if let number = numbers.first(where: { $0 < 0 || $0 >= Int(Int32.max) }) {
      throw DecodingError.dataCorrupted(
        DecodingError.Context(codingPath: container.codingPath, debugDescription: "no list has a place \(number)"))
    }
  }

  /// All numbers that occur.
  private var numbers: some Sequence<Int> {
    let sections = [deletedSections, insertedSections].joined()
    let sectionMoves = [movedSections, updatedSections].joined().lazy.flatMap { [$0.from, $0.to] }
    let rows = [deletedItems, insertedItems].joined().lazy.flatMap { [$0.section, $0.item] }
    let rowMoves = [movedItems, updatedItems].joined().lazy.flatMap {
      [$0.from.section, $0.from.item, $0.to.section, $0.to.item]
    }
    return [AnySequence(sections), AnySequence(sectionMoves), AnySequence(rows), AnySequence(rowMoves)].joined()
  }

  /// Encodes the difference without its empty parts.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    func put<Place: Encodable>(_ part: [Place], _ key: CodingKeys) throws {
      if !part.isEmpty { try container.encode(part, forKey: key) }
    }
    try put(deletedSections, .deletedSections)
    try put(insertedSections, .insertedSections)
    try put(movedSections, .movedSections)
    try put(updatedSections, .updatedSections)
    try put(deletedItems, .deletedItems)
    try put(insertedItems, .insertedItems)
    try put(movedItems, .movedItems)
    try put(updatedItems, .updatedItems)
  }
}

/// The name of a part, which may be unknown.
private struct PartName: CodingKey {
  let stringValue: String
  var intValue: Int? { nil }

  init(stringValue: String) { self.stringValue = stringValue }
  init?(intValue: Int) { nil }
}
