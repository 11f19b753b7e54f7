package import RowModel

/// A row of the sample that every engine is tried on.
package struct Entry: MappedEntity, Hashable, Comparable {
  package static let table = "entry"
  package static let mapping = Mapping(
    Entry.init, ("id", \.id), ("list", \.list), ("title", \.title), ("rank", \.rank))
  package var id: Int64
  package var list: String
  package var title: String
  package var rank: Int64

  package init(id: Int64, list: String, title: String, rank: Int64) {
    self.id = id
    self.list = list
    self.title = title
    self.rank = rank
  }

  package static func < (left: Entry, right: Entry) -> Bool { left.id < right.id }
}

/// A change of the sample.
package enum EntryChange: Hashable, Sendable {
  /// Inserts a row, or replaces the one with its id.
  case put(Entry)
  /// Removes the row with this id, if it exists.
  case remove(Int64)

  package var id: Int64 {
    switch self {
    case .put(let entry): entry.id
    case .remove(let id): id
    }
  }
}

extension [Int64: Entry] {
  /// Makes the changes, one after another.
  package mutating func apply(_ changes: [EntryChange]) {
    for change in changes {
      switch change {
      case .put(let entry): self[entry.id] = entry
      case .remove(let id): self[id] = nil
      }
    }
  }
}
