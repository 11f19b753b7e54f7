import TodoCore

/// Passes on the rows of a list behind the first ones, with the sections that still have rows.
struct ListPage<Next: ListVisitor>: ListVisitor {
  /// How many rows to leave out.
  var offset: Int
  var next: Next
  /// The section that has begun, until one of its rows is passed on.
  private var section: String?

  init(behind offset: Int, _ next: Next) { (self.offset, self.next) = (offset, next) }

  mutating func begin(revision: Int64) throws { try next.begin(revision: revision) }

  mutating func beginSection(name: String) { section = name }

  mutating func row(_ item: Item) throws {
    if offset > 0 {
      offset -= 1
      return
    }
    if let name = section {
      try next.beginSection(name: name)
      section = nil
    }
    try next.row(item)
  }

  mutating func endSection() throws { if section == nil { try next.endSection() } }

  mutating func end() throws { try next.end() }
}
