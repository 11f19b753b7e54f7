#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A value that is stored in one column as JSON text.
///
/// ```swift
/// struct Trip: MappedEntity {
///   static let table = "trip"
///   static let mapping = Mapping(Trip.init, ("id", \.id), ("places", \.places))
///   var id: Int64
///   var places: JSONColumn<[String]>
/// }
/// ```
public struct JSONColumn<Content: Codable & Sendable>: ValueConvertible {
  /// The value itself.
  public var content: Content

  /// Wraps a value.
  public init(_ content: Content) { self.content = content }

  /// The JSON, with sorted keys. A set, or a dictionary whose keys are not texts, has no order: equal ones may be
  /// different texts, so that a predicate or sections should not compare them.
  public var databaseValue: Value {
    get throws { .text(String(decoding: try JSONText.encoder.encode(content), as: UTF8.self)) }
  }

  /// Several: JSON texts may differ in white space and in the order of keys.
  public static var storedForms: StoredForms { .several }

  /// Accepts a text, or a blob that holds one, with JSON of the right shape.
  public init(databaseValue: Value) throws {
    let data: Data
    switch databaseValue {
    case .text(let text): data = Data(text.utf8)
    case .blob(let bytes): data = Data(bytes)
    default: throw DatabaseError.mismatch(expected: "JSON of \(Content.self)", found: databaseValue)
    }
    do {
      content = try JSONDecoder().decode(Content.self, from: data)
    } catch {
      throw DatabaseError.mismatch(expected: "JSON of \(Content.self)", found: databaseValue)
    }
  }
}

/// A type that is stored as JSON.
@usableFromInline
protocol JSONStored {}
extension JSONColumn: JSONStored {}

@usableFromInline
enum JSONText {
  static let encoder: JSONEncoder = {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return encoder
  }()

  /// The bytes of a value that may be JSON; throws for any other.
  static func data(of value: Value) throws -> Data {
    switch value {
    case .text(let text): return Data(text.utf8)
    case .blob(let bytes): return Data(bytes)
    default: throw DatabaseError.mismatch(expected: "JSON", found: value)
    }
  }

  /// Whether a value is JSON's `null`.
  @usableFromInline
  static func isNull(_ value: Value) -> Bool {
    let bytes: [UInt8]
    switch value {
    case .text(let text): bytes = Array(text.utf8)
    case .blob(let blob): bytes = blob
    default: return false
    }
    let isBlank = { (byte: UInt8) in byte == 32 || (9...13).contains(byte) }
    return bytes.drop(while: isBlank).reversed().drop(while: isBlank).reversed().elementsEqual("null".utf8)
  }
}

extension JSONColumn: Codable {
  /// Decodes the content.
  public init(from decoder: any Decoder) throws { content = try decoder.singleValueContainer().decode(Content.self) }

  /// Encodes the content.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(content)
  }
}

extension JSONColumn: Equatable where Content: Equatable {}
extension JSONColumn: Hashable where Content: Hashable {}
