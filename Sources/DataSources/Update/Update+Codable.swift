extension Update: Encodable where Item: Encodable {
  /// Encodes the old list and the patch, because the new list follows from them.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: UpdateKeys.self)
    try container.encode(old, forKey: .old)
    try container.encode(patch, forKey: .patch)
  }
}

extension Update: Decodable where Item: Decodable {
  /// Decodes the old list and the patch, and makes the new list from them.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: UpdateKeys.self)
    let old = try container.decode(Snapshot<Item>.self, forKey: .old)
    let patch = try container.decode(Patch<Item>.self, forKey: .patch)
    do {
      self.init(old: old, new: try old.applying(patch), changes: patch.changes)
    } catch {
      throw DecodingError.dataCorruptedError(forKey: .patch, in: container, debugDescription: error.description)
    }
  }
}

private enum UpdateKeys: String, CodingKey {
  case old
  case patch
}
