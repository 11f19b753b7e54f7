/// Identifies a section from one list to the next.
///
/// ```swift
/// let id: SectionID = "errands"
/// if case .text(let text) = id { print(text) }
/// ```
///
/// The cases are the values that a database column can hold, so the value that a section's rows share can be its id.
/// `none` is the section of a list without sections. Two ids of different cases are different: `.integer(2)` is not
/// `.real(2)`.
public enum SectionID: Sendable {
  /// No value: SQL's NULL, and the only section of a list without sections.
  case none
  /// A whole number.
  case integer(Int64)
  /// A floating-point number. NaN equals itself here, so that every id can be found again.
  case real(Double)
  /// A text, compared byte by byte as in databases: a letter that is composed in two ways gives two different texts.
  case text(String)
  /// Bytes.
  case blob([UInt8])
}

extension SectionID: Hashable {
  /// Whether two ids identify the same section.
  public static func == (lhs: SectionID, rhs: SectionID) -> Bool {
    switch (lhs, rhs) {
    case (.none, .none): true
    case (.integer(let a), .integer(let b)): a == b
    case (.real(let a), .real(let b)): a == b || (a.isNaN && b.isNaN)
    case (.text(let a), .text(let b)): a.utf8.elementsEqual(b.utf8)
    case (.blob(let a), .blob(let b)): a == b
    default: false
    }
  }

  /// Hashes the id.
  public func hash(into hasher: inout Hasher) {
    switch self {
    case .none: hasher.combine(0)
    case .integer(let value):
      hasher.combine(1)
      hasher.combine(value)
    case .real(let value):
      hasher.combine(2)
      hasher.combine(value.isNaN ? Double.nan : value)
    case .text(var value):
      hasher.combine(3)
      value.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    case .blob(let value):
      hasher.combine(4)
      hasher.combine(value)
    }
  }
}

extension SectionID: CustomStringConvertible {
  /// The value for users; for a blob, its number of bytes.
  public var description: String {
    switch self {
    case .none: "none"
    case .integer(let value): String(value)
    case .real(let value): String(value)
    case .text(let value): value
    case .blob(let value): "blob of \(value.count) bytes"
    }
  }
}

extension SectionID: ExpressibleByIntegerLiteral {
  /// Makes an `integer` from a literal such as `7`.
  public init(integerLiteral value: Int64) { self = .integer(value) }
}

extension SectionID: ExpressibleByFloatLiteral {
  /// Makes a `real` from a literal such as `1.5`.
  public init(floatLiteral value: Double) { self = .real(value) }
}

extension SectionID: ExpressibleByStringInterpolation {
  /// Makes a `text` from a literal such as `"Errands"`.
  public init(stringLiteral value: String) { self = .text(value) }
}

extension SectionID: ExpressibleByArrayLiteral {
  /// Makes a `blob` from a literal such as `[0xCA, 0xFE]`.
  public init(arrayLiteral elements: UInt8...) { self = .blob(elements) }
}

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
