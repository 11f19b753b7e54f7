extension Section.Items: Equatable where Item: Equatable {
  /// Whether two sections hold equal rows in the same order.
  ///
  /// Complexity: O(n), and O(1) for copies of each other.
  public static func == (lhs: Section.Items, rhs: Section.Items) -> Bool {
    lhs.tree.isIdentical(to: rhs.tree) || (lhs.count == rhs.count && lhs.elementsEqual(rhs))
  }
}

extension Section.Items: Hashable where Item: Hashable {
  /// Hashes the rows.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(count)
    for item in self { hasher.combine(item) }
  }
}

extension Section: Equatable where Item: Equatable {
  /// Whether two sections have the same id, the same titles and equal rows.
  public static func == (lhs: Section, rhs: Section) -> Bool {
    lhs.id == rhs.id && lhs.info.readsLike(rhs.info) && lhs.items == rhs.items
  }
}

extension Section: Hashable where Item: Hashable {
  /// Hashes the id, the name and the rows.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(id)
    hasher.combine(name)
    hasher.combine(items)
  }
}

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

extension Section: CustomStringConvertible {
  /// The name, the id if it differs, and the rows.
  public var description: String {
    (id.description == name ? "\(name)" : "\(name) (\(id))") + ": \(items)"
  }
}
