extension Snapshot: Encodable where Item: Encodable {
  /// Writes the sections as an array.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.unkeyedContainer()
    for section in self { try container.encode(section) }
  }
}

extension Snapshot: Decodable where Item: Decodable {
  /// Reads an array of sections.
  public init(from decoder: any Decoder) throws {
    var container = try decoder.unkeyedContainer()
    var sections: [Section<Item>] = []
    while !container.isAtEnd { sections.append(try container.decode(Section<Item>.self)) }
    self.init(sections)
  }
}
