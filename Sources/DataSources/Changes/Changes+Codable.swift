extension Changes: Codable {
  private enum CodingKeys: String, CodingKey {
    case deletedSections
    case insertedSections
    case movedSections
    case updatedSections
    case deletedItems
    case insertedItems
    case movedItems
    case updatedItems
  }

  /// Reads a difference; a part that is left out is empty.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    func part<Place: Decodable>(_ key: CodingKeys) throws -> [Place] {
      try container.decodeIfPresent([Place].self, forKey: key) ?? []
    }
    self.init(
      deletedSections: try part(.deletedSections), insertedSections: try part(.insertedSections),
      movedSections: try part(.movedSections), updatedSections: try part(.updatedSections),
      deletedItems: try part(.deletedItems), insertedItems: try part(.insertedItems),
      movedItems: try part(.movedItems), updatedItems: try part(.updatedItems))
  }

  /// Writes the difference without its empty parts.
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
