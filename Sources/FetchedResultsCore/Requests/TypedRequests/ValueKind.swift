import FetchedResultsSupport
package import RowModel

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The SQL counterpart of a Swift type, which decides what operations are allowed.
package enum ValueKind: Sendable {
  case bool, integer, real, single, text, date, uuid, bytes
  /// The bytes of a string.
  case utf8
  /// Another stored type: values are equal if their stored values are.
  case stored

  /// The kind of a type, and whether it is an optional. Nil for types that are not stored, or whose equality is not
  /// that of their stored values.
  package static func of(_ type: Any.Type) -> (kind: ValueKind, isOptional: Bool)? {
    if let optional = type as? any AnyOptional.Type {
      guard let (kind, isOptional) = of(optional.wrappedType), !isOptional else { return nil }
      return (kind, true)
    }
    return plain(type).map { ($0, false) }
  }

  private static func plain(_ type: Any.Type) -> ValueKind? {
    if type == Bool.self { return .bool }
    if type == Double.self { return .real }
    if type == String.self { return .text }
    if type == Date.self { return .date }
    if type == UUID.self { return .uuid }
    if type == Data.self || type == [UInt8].self { return .bytes }
    if type == Float.self { return .single }
    if type == String.UTF8View.self { return .utf8 }
    // An integer and a real with the same value are equal in SQL, and two different JSON texts may mean the same.
    if type == RowModel.Value.self || type is any AnyJSONColumn.Type { return nil }
    guard type is any ValueConvertible.Type else { return nil }
    return type is any FixedWidthInteger.Type ? .integer : .stored
  }

  /// Whether Swift's `<` is the same as the database's.
  package var isOrdered: Bool {
    switch self {
    case .integer, .real, .single, .text, .date: true
    case .bool, .uuid, .bytes, .utf8, .stored: false
    }
  }

  /// A column's value in the form in which equal values are the same.
  package static func canonical(_ type: Any.Type, _ column: SQL) -> SQL {
    (type as? any ValueConvertible.Type)?.canonical(column) ?? column
  }
}

private protocol AnyJSONColumn {}
extension JSONColumn: AnyJSONColumn {}

extension ValueKind {
  /// Whether a type is an optional JSON column, which can't be compared with another one, but can be nil.
  package static func isOptionalJSON(_ type: Any.Type) -> Bool {
    (type as? any AnyOptional.Type)?.wrappedType is any AnyJSONColumn.Type
  }
}
