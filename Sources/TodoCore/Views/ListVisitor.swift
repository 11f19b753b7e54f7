public import FetchedResults

/// Receives a list row by row, as it is read, for example to write it in some format.
///
/// The same visitor serves a list that is read once (``TodoStore/list(_:into:)``) and one that is followed
/// (``DataSources/Snapshot/visit(revision:_:)``), and writes the same output for both.
public protocol ListVisitor {
  /// The list begins, with its revision.
  mutating func begin(revision: Int64) throws
  /// A section begins. Empty sections are not visited.
  mutating func beginSection(name: String) throws
  /// A row of the section.
  mutating func row(_ item: Item) throws
  /// The section ends.
  mutating func endSection() throws
  /// The list ends.
  mutating func end() throws
}

extension Snapshot where Item: ListedItem {
  /// Passes the list to a visitor.
  public func visit<Visitor: ListVisitor>(revision: Int64, _ visitor: inout Visitor) throws {
    try visitor.begin(revision: revision)
    for section in self where !section.items.isEmpty {
      try visitor.beginSection(name: section.name)
      for row in section.items { try visitor.row(row.item) }
      try visitor.endSection()
    }
    try visitor.end()
  }
}

/// Writes a list as the JSON document that scripts rely on: `{"schema":1,"revision":N,"sections":[…]}` and a line
/// feed.
public struct JSONListWriter: ListVisitor {
  private var writer = JSONWriter(capacity: 1 << 16)
  private let output: ([UInt8]) throws -> Void
  private var isFirstSection = true
  private var isFirstRow = true

  /// Creates a writer that outputs its bytes in large pieces.
  public init(output: @escaping ([UInt8]) throws -> Void) { self.output = output }

  /// Writes the head of the document.
  public mutating func begin(revision: Int64) throws {
    writer.raw("{\"schema\":1,\"revision\":")
    writer.write(revision)
    writer.raw(",\"sections\":[")
  }

  /// Writes the head of a section.
  public mutating func beginSection(name: String) throws {
    writer.raw(isFirstSection ? "{\"name\":" : ",{\"name\":")
    writer.write(name)
    writer.raw(",\"items\":[")
    isFirstSection = false
    isFirstRow = true
  }

  /// Writes an item.
  public mutating func row(_ item: Item) throws {
    if !isFirstRow { writer.raw(",") }
    isFirstRow = false
    writer.write(item)
    if writer.bytes.count >= 1 << 16 {
      try output(writer.bytes)
      writer.removeAll()
    }
  }

  /// Writes the end of a section.
  public mutating func endSection() throws { writer.raw("]}") }

  /// Writes the end of the document.
  public mutating func end() throws {
    writer.raw("]}\n")
    try output(writer.bytes)
    writer.removeAll()
  }
}

extension ChangeResult {
  /// Passes the changed items to a visitor, as a list in sections by list; removed items are passed in their last
  /// state.
  public func visit<Visitor: ListVisitor>(_ visitor: inout Visitor) throws {
    try (removed + items).visit(revision: revision, &visitor)
  }
}

extension [Item] {
  /// Passes the items to a visitor as a list in sections by list, in the order in which the lists occur.
  public func visit<Visitor: ListVisitor>(revision: Int64, _ visitor: inout Visitor) throws {
    try visitor.begin(revision: revision)
    var lists: [String] = []
    var byList: [TextKey: [Item]] = [:]
    for item in self {
      if byList[TextKey(item.list)] == nil { lists.append(item.list) }
      byList[TextKey(item.list), default: []].append(item)
    }
    for list in lists {
      try visitor.beginSection(name: list)
      for item in byList[TextKey(list)] ?? [] { try visitor.row(item) }
      try visitor.endSection()
    }
    try visitor.end()
  }
}
