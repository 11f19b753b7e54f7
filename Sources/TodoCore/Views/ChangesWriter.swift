public import FetchedResults

/// Writes an update of a list as a line of JSON: `{"revision":N,"changes":[…]}`.
///
/// All `from` are places before the line and all `to` places after it, as in ``DataSources/Changes``. Rows that are
/// deleted or inserted with their section are not listed. A row that moves out of a deleted section is inserted, and
/// one that moves into an inserted section is deleted.
public struct ChangesWriter<Row: ListedItem> {
  private let update: Update<Row>
  private var writer = JSONWriter()
  private var count = 0

  /// The line for an update, with a line feed; nil if nothing visible changed.
  public static func line(_ update: Update<Row>, revision: Int64) -> [UInt8]? {
    var changes = ChangesWriter(update)
    changes.writer.raw("{\"revision\":")
    changes.writer.write(revision)
    changes.writer.raw(",\"changes\":[")
    changes.writeRows()
    changes.writeSections()
    changes.writer.raw("]}\n")
    return changes.count == 0 ? nil : changes.writer.bytes
  }

  private init(_ update: Update<Row>) { self.update = update }

  // MARK: Rows

  private mutating func writeRows() {
    let changes = update.changes
    let gone = Set(changes.deletedSections)
    let come = Set(changes.insertedSections)
    let left = changes.movedItems.filter { come.contains($0.to.section) && !gone.contains($0.from.section) }
    let entered = changes.movedItems.filter { gone.contains($0.from.section) && !come.contains($0.to.section) }
    for from in (changes.deletedItems.filter { !gone.contains($0.section) } + left.map(\.from)).sorted() {
      add("delete", from: place(from))
    }
    for to in (changes.insertedItems.filter { !come.contains($0.section) } + entered.map(\.to)).sorted() {
      add("insert", to: place(to), itemAt: to)
    }
    let updated = Set(changes.updatedItems.map(\.to))
    for move in changes.movedItems where !gone.contains(move.from.section) && !come.contains(move.to.section) {
      add("move", from: place(move.from), to: place(move.to), itemAt: updated.contains(move.to) ? move.to : nil)
    }
    let moved = Set(changes.movedItems.map(\.to))
    for change in changes.updatedItems where !moved.contains(change.to) {
      // Only within sections that stay, because in the others the row has moved.
      if gone.contains(change.from.section) || come.contains(change.to.section) { continue }
      add("update", from: place(change.from), to: place(change.to), itemAt: change.to)
    }
  }

  // MARK: Sections

  private mutating func writeSections() {
    for from in update.changes.deletedSections { add("deleteSection", from: "\(from)") }
    for to in update.changes.insertedSections {
      add("insertSection", to: "\(to)", section: update.new[to].name, rows: Array(update.new[to].items))
    }
    for move in update.changes.movedSections { add("moveSection", from: "\(move.from)", to: "\(move.to)") }
    for change in update.changes.updatedSections {
      add("updateSection", to: "\(change.to)", section: update.new[change.to].name)
    }
  }

  // MARK: Parts

  private func place(_ path: ItemPath) -> String { "{\"section\":\(path.section),\"item\":\(path.item)}" }

  /// Writes a change with the fields that it has.
  private mutating func add(
    _ kind: String, from: String? = nil, to: String? = nil, itemAt path: ItemPath? = nil, section: String? = nil,
    rows: [Row]? = nil
  ) {
    writer.raw((count > 0 ? "," : "") + "{\"change\":\"\(kind)\"")
    count += 1
    if let from { writer.raw(",\"from\":\(from)") }
    if let to { writer.raw(",\"to\":\(to)") }
    if let path {
      writer.raw(",\"item\":")
      writer.write(update.new[path].item)
    }
    if let section {
      writer.raw(",\"section\":{\"name\":")
      writer.write(section)
      if rows != nil { writer.raw(",\"items\":[") }
      for (index, row) in (rows ?? []).enumerated() {
        if index > 0 { writer.raw(",") }
        writer.write(row.item)
      }
      writer.raw(rows == nil ? "}" : "]}")
    }
    writer.raw("}")
  }
}
