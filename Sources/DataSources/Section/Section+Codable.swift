extension Section: Encodable where Item: Encodable {
  /// Encodes the id, the name, other titles if there are any, and the rows.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: SectionKeys.self)
    try container.encode(id, forKey: .id)
    try container.encode(name, forKey: .name)
    // An index title that follows from the name is left out; one that was set to nil is written as null.
    if let given = info.givenIndexTitle { try container.encode(given, forKey: .indexTitle) }
    try container.encodeIfPresent(header, forKey: .header)
    try container.encodeIfPresent(footer, forKey: .footer)
    try container.encode(Array(items), forKey: .items)
  }
}

extension Section: Decodable where Item: Decodable {
  /// Decodes a section; without rows, it is empty.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: SectionKeys.self)
    let info = SectionInfo(
      id: try container.decode(SectionID.self, forKey: .id),
      name: try container.decode(String.self, forKey: .name),
      givenIndexTitle: container.contains(.indexTitle)
        ? .some(try container.decode(String?.self, forKey: .indexTitle)) : nil,
      header: try container.decodeIfPresent(String.self, forKey: .header),
      footer: try container.decodeIfPresent(String.self, forKey: .footer))
    self.init(info: info, items: Items(try container.decodeIfPresent([Item].self, forKey: .items) ?? []))
  }
}

private enum SectionKeys: String, CodingKey {
  case id
  case name
  case indexTitle
  case header
  case footer
  case items
}
