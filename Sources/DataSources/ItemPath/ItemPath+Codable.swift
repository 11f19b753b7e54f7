extension ItemPath: Codable {
  /// Decodes a path from a pair of numbers. More or fewer numbers are an error.
  public init(from decoder: any Decoder) throws {
    var container = try decoder.unkeyedContainer()
    section = try container.decode(Int.self)
    item = try container.decode(Int.self)
    if !container.isAtEnd {
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "a path is a pair of numbers, [section, item], but there are more")
    }
  }

  /// Encodes the path as a pair of numbers, because a difference contains many of them.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.unkeyedContainer()
    try container.encode(section)
    try container.encode(item)
  }
}
