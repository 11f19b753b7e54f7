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
      begin("delete")
      write("from", from)
      writer.raw("}")
    }
    for to in (changes.insertedItems.filter { !come.contains($0.section) } + entered.map(\.to)).sorted() {
      begin("insert")
      write("to", to)
      write(itemAt: to)
      writer.raw("}")
    }
    let updated = Set(changes.updatedItems.map(\.to))
    for move in changes.movedItems where !gone.contains(move.from.section) && !come.contains(move.to.section) {
      begin("move")
      write("from", move.from)
      write("to", move.to)
      if updated.contains(move.to) { write(itemAt: move.to) }
      writer.raw("}")
    }
    let moved = Set(changes.movedItems.map(\.to))
    for change in changes.updatedItems where !moved.contains(change.to) {
      // Only within sections that stay, because in the others the row has moved.
      if gone.contains(change.from.section) || come.contains(change.to.section) { continue }
      begin("update")
      write("from", change.from)
      write("to", change.to)
      write(itemAt: change.to)
      writer.raw("}")
    }
  }

  // MARK: Sections

  private mutating func writeSections() {
    for from in update.changes.deletedSections {
      begin("deleteSection")
      write("from", from)
      writer.raw("}")
    }
    for to in update.changes.insertedSections {
      let section = update.new[to]
      begin("insertSection")
      write("to", to)
      writer.raw(",\"section\":{\"name\":")
      writer.write(section.name)
      writer.raw(",\"items\":[")
      for (index, row) in section.items.enumerated() {
        if index > 0 { writer.raw(",") }
        writer.write(row.item)
      }
      writer.raw("]}}")
    }
    for move in update.changes.movedSections {
      begin("moveSection")
      write("from", move.from)
      write("to", move.to)
      writer.raw("}")
    }
    for change in update.changes.updatedSections {
      begin("updateSection")
      write("to", change.to)
      writer.raw(",\"section\":{\"name\":")
      writer.write(update.new[change.to].name)
      writer.raw("}}")
    }
  }

  // MARK: Parts

  private mutating func begin(_ kind: StaticString) {
    if count > 0 { writer.raw(",") }
    count += 1
    writer.raw("{\"change\":\"")
    writer.raw(kind)
    writer.raw("\"")
  }

  private mutating func write(_ key: StaticString, _ path: ItemPath) {
    writer.raw(",\"")
    writer.raw(key)
    writer.raw("\":{\"section\":")
    writer.write(Int64(path.section))
    writer.raw(",\"item\":")
    writer.write(Int64(path.item))
    writer.raw("}")
  }

  private mutating func write(_ key: StaticString, _ section: Int) {
    writer.raw(",\"")
    writer.raw(key)
    writer.raw("\":")
    writer.write(Int64(section))
  }

  private mutating func write(itemAt path: ItemPath) {
    writer.raw(",\"item\":")
    writer.write(update.new[path].item)
  }
}
