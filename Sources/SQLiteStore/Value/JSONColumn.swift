#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A value that is stored in one column as JSON text.
///
/// ```swift
/// struct Item: MappedEntity { var id: Int64; var places: JSONColumn<[String]> … }
/// let places = try row["places"] as JSONColumn<[String]>
/// ```
public struct JSONColumn<Content: Codable & Sendable>: ValueConvertible {
  /// The value itself.
  public var content: Content

  /// Wraps a value.
  public init(_ content: Content) { self.content = content }

  /// The JSON, with sorted keys so that equal contents are equal texts.
  public var databaseValue: Value {
    get throws {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
      return .text(String(decoding: try encoder.encode(content), as: UTF8.self))
    }
  }

  /// Several: texts of JSON may differ in blanks and in the order of their keys.
  public static var storedForms: StoredForms { .several }

  /// Takes a text, or a blob that holds one, with JSON of the right shape.
  public init(databaseValue: Value) throws {
    let data: Data
    switch databaseValue {
    case .text(let text): data = Data(text.utf8)
    case .blob(let bytes): data = Data(bytes)
    default: throw ValueMismatch(expected: "JSON of \(Content.self)", found: databaseValue)
    }
    do {
      content = try JSONDecoder().decode(Content.self, from: data)
    } catch {
      throw ValueMismatch(expected: "JSON of \(Content.self)", found: databaseValue)
    }
  }
}

extension JSONColumn: Equatable where Content: Equatable {}
extension JSONColumn: Hashable where Content: Hashable {}
