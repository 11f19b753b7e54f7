extension SectionID: Codable {
  private enum CodingKeys: String, CodingKey {
    case none
    case integer
    case real
    case text
    case blob
  }

  /// Decodes an id from a dictionary with one entry, such as `{"text": "Errands"}`, as ``encode(to:)`` writes it.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    guard container.allKeys.count == 1, let key = container.allKeys.first else {
      throw DecodingError.dataCorrupted(
        DecodingError.Context(
          codingPath: container.codingPath,
          debugDescription: "a section id has exactly one of none, integer, real, text, blob"))
    }
    switch key {
    case .none: self = .none
    case .integer: self = .integer(try container.decode(Int64.self, forKey: key))
    case .real: self = .real(try Self.real(in: container))
    case .text: self = .text(try container.decode(String.self, forKey: key))
    case .blob: self = .blob(try container.decode([UInt8].self, forKey: key))
    }
  }

  /// A number, or the name of a value without digits.
  private static func real(in container: KeyedDecodingContainer<CodingKeys>) throws -> Double {
    do {
      return try container.decode(Double.self, forKey: .real)
    } catch {
      guard let name = try? container.decode(String.self, forKey: .real) else { throw error }
      switch name {
      case "inf": return .infinity
      case "-inf": return -.infinity
      case "nan": return .nan
      default:
        throw DecodingError.dataCorruptedError(
          forKey: .real, in: container,
          debugDescription: "a real is a number or one of \"inf\", \"-inf\", \"nan\", not \"\(name)\"")
      }
    }
  }

  /// Encodes the id as a dictionary with one entry, so that an integer differs from a real and a text from a blob.
  ///
  /// JSON has no number for infinity and NaN, so these are written as the texts "inf", "-inf" and "nan".
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    switch self {
    case .none: try container.encode(true, forKey: .none)
    case .integer(let value): try container.encode(value, forKey: .integer)
    case .real(let value) where value.isFinite: try container.encode(value, forKey: .real)
    case .real(let value): try container.encode(value.isNaN ? "nan" : value > 0 ? "inf" : "-inf", forKey: .real)
    case .text(let value): try container.encode(value, forKey: .text)
    case .blob(let value): try container.encode(value, forKey: .blob)
    }
  }
}
