package import DataSources
package import FetchedResultsCore
import RowModel

/// A request for the sample, and what it must list.
package struct TriedRequest: Sendable {
  package let request: FetchRequest<Entry>
  /// The list, computed without the library: its sections with their items.
  package let expected: @Sendable (_ rows: [Entry]) -> [ExpectedSection]

  package init(
    _ request: FetchRequest<Entry>, _ expected: @escaping @Sendable (_ rows: [Entry]) -> [ExpectedSection]
  ) {
    self.request = request
    self.expected = expected
  }

  /// Requests with an order, sections, a condition and a window. Texts are ordered by their bytes, and the id decides
  /// last.
  package static let standard: [TriedRequest] = [
    TriedRequest(FetchRequest(orderBy: ["title"])) { rows in
      [ExpectedSection(rows.sorted { ($0.title.bytes, $0.id) < ($1.title.bytes, $1.id) })]
    },
    TriedRequest(FetchRequest(sectionBy: "list", orderBy: [.descending("rank")])) { rows in
      sections(rows.sorted { ($0.list.bytes, -$0.rank, $0.id) < ($1.list.bytes, -$1.rank, $1.id) })
    },
    TriedRequest(FetchRequest(where: "rank > 3", orderBy: ["list", "rank"])) { rows in
      let rows = rows.filter { $0.rank > 3 }
      return [ExpectedSection(rows.sorted { ($0.list.bytes, $0.rank, $0.id) < ($1.list.bytes, $1.rank, $1.id) })]
    },
    TriedRequest(FetchRequest(orderBy: ["rank"], limit: 5, offset: 2)) { rows in
      let rows = rows.sorted { ($0.rank, $0.id) < ($1.rank, $1.id) }
      return [ExpectedSection(rows.dropFirst(2).prefix(5))]
    },
    TriedRequest(FetchRequest(sectionBy: "list", orderBy: ["title"], limit: 7)) { rows in
      let rows = rows.sorted { ($0.list.bytes, $0.title.bytes, $0.id) < ($1.list.bytes, $1.title.bytes, $1.id) }
      return sections(rows.prefix(7))
    },
  ]

  /// Divides sorted rows into sections by their lists.
  private static func sections(_ rows: some Sequence<Entry>) -> [ExpectedSection] {
    var sections: [ExpectedSection] = []
    for row in rows {
      if let last = sections.last, last.name.bytes == row.list.bytes {
        sections[sections.count - 1].items.append(row)
      } else {
        sections.append(ExpectedSection(id: .text(row.list), name: row.list, items: [row]))
      }
    }
    return sections
  }
}

/// A section as it must be shown.
package struct ExpectedSection: Equatable, Sendable, CustomStringConvertible {
  package var id: SectionID
  package var name: String
  package var items: [Entry]

  package init(id: SectionID, name: String, items: [Entry]) {
    self.id = id
    self.name = name
    self.items = items
  }

  package var description: String {
    "\(name): " + items.map { "\($0.id) \($0.list) \($0.title) \($0.rank)" }.joined(separator: ", ")
  }

  /// The only section of a list without sections.
  package init(_ items: some Sequence<Entry>) { self.init(id: .none, name: "", items: Array(items)) }
}

/// Bytes in their order.
private struct Bytes: Comparable {
  var bytes: [UInt8]
  static func < (left: Bytes, right: Bytes) -> Bool { left.bytes.lexicographicallyPrecedes(right.bytes) }
}

extension String {
  fileprivate var bytes: Bytes { Bytes(bytes: Array(utf8)) }
}
