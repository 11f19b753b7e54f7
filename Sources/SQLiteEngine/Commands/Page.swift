public import RowModel

/// A part of a request's rows, and where the next part begins.
///
/// ```swift
/// var page = try await database.page(of: FetchRequest<Item>(orderBy: ["title"]), size: 50)
/// while let next = page.next {
///   page = try await database.page(of: FetchRequest<Item>(orderBy: ["title"]), after: next, size: 50)
/// }
/// ```
public struct Page<E: Entity>: Sendable {
  /// The rows, in order.
  public let items: [E]
  /// The place after the last row; nil if there are no further rows.
  public let next: PageKey?
}

/// A place in the order of a request's rows: behind a row, which may be gone by now.
///
/// It holds the row's values of the terms of the order. So a page is found by searching, and not by counting rows, and
/// rows that are inserted or deleted before it don't move it. It can be encoded, to be sent to a client and back. It
/// belongs to requests with the same order.
public struct PageKey: Hashable, Sendable {
  let values: [Value]
}

extension PageKey: Codable {
  private enum Stored: Codable {
    case null
    case integer(Int64)
    case real(Double)
    case text(String)
    case blob([UInt8])
  }

  /// Reads what `encode(to:)` writes.
  public init(from decoder: any Decoder) throws {
    values = try decoder.singleValueContainer().decode([Stored].self).map { stored in
      switch stored {
      case .null: .null
      case .integer(let value): .integer(value)
      case .real(let value): .real(value)
      case .text(let value): .text(value)
      case .blob(let value): .blob(value)
      }
    }
  }

  /// Writes the values.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(
      values.map { value -> Stored in
        switch value {
        case .null: .null
        case .integer(let value): .integer(value)
        case .real(let value): .real(value)
        case .text(let value): .text(value)
        case .blob(let value): .blob(value)
        }
      })
  }
}
