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
/// ```swift
/// func text(_ key: PageKey) throws -> String { String(decoding: try JSONEncoder().encode(key), as: UTF8.self) }
/// ```
///
/// It holds the row's values of the terms of the order. So a page is found by searching, and not by counting rows, and
/// rows that are inserted or deleted before it don't move it. It can be encoded, to be sent to a client and back. Only
/// requests with the same order accept it.
public struct PageKey: Codable, Hashable, Sendable {
  let values: [Value]
  /// The fingerprint of the order.
  let order: String
}
