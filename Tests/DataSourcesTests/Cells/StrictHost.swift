import DataSources

/// A host that counts as a table view does: after each batch, what the content answers must be what the batch said. It shows
/// every row, as a view of endless height.
final class StrictHost: ListHost {
  typealias Cell = any LineCell

  weak var content: (any ListContent<any LineCell>)?
  private var registrations: [String: CellRegistration<any LineCell>] = [:]
  /// What is shown, row by row; nil where a row is still to be asked for.
  private var rows: [[String?]] = []
  private var headers: [String?] = []
  private(set) var complaints: [String] = []
  private(set) var batches: [Changes] = []
  private(set) var log: [String] = []

  var shown: [[String?]] { rows }

  func register(_ registration: CellRegistration<any LineCell>) {
    registrations[registration.identifier] = registration
  }

  func dequeue(_ identifier: String, for path: ItemPath) -> any LineCell {
    guard let registration = registrations[identifier] else { preconditionFailure("no \(identifier)") }
    return registration.makeCell()
  }

  private func counts() -> [Int] {
    guard let content else { return [] }
    return (0..<content.numberOfSections).map(content.numberOfItems)
  }

  private func text(_ path: ItemPath) -> String? { content?.cell(at: path).line(in: LineContext()).text }

  func reloadData() {
    log.append("reload")
    rows = counts().enumerated().map { section, count in
      (0..<count).map { text(ItemPath(section: section, item: $0)) }
    }
    headers = rows.indices.map { content?.header(ofSection: $0) }
  }

  func updateWillBegin() { log.append("begin") }
  func updateDidEnd(_ changes: Changes) { log.append("end") }

  func performBatch(_ stage: Changes, switchingContent: () -> Void) {
    log.append("batch")
    batches.append(stage)
    expect(counts() == rows.map(\.count), "before the switch the content is not the old one")
    switchingContent()
    let after = counts()
    expect(
      after.count == rows.count - stage.deletedSections.count + stage.insertedSections.count,
      "\(rows.count) sections, \(stage), but \(after.count) afterwards")

    // Take out what goes, put in what comes, and ask only for what the batch names.
    var moved: [ItemPath: String?] = [:]
    for move in stage.movedItems { moved[move.to] = rows[move.from.section][move.from.item] }
    for path in (stage.deletedItems + stage.movedItems.map(\.from)).sorted().reversed() {
      rows[path.section].remove(at: path.item)
    }
    // Sections keep what rows they have left, wherever they go.
    var updated: [ItemPath] = stage.updatedItems.map(\.to)
    var movedSections: [Int: ([String?], String?)] = [:]
    for move in stage.movedSections { movedSections[move.to] = (rows[move.from], headers[move.from]) }
    for section in (stage.deletedSections + stage.movedSections.map(\.from)).sorted().reversed() {
      rows.remove(at: section)
      headers.remove(at: section)
    }
    for section in (stage.insertedSections + movedSections.keys).sorted() {
      if let (its, header) = movedSections[section] {
        rows.insert(its, at: section)
        headers.insert(header, at: section)
      } else {
        rows.insert(Array(repeating: nil, count: section < after.count ? after[section] : 0), at: section)
        headers.insert(content?.header(ofSection: section), at: section)
        updated += rows[section].indices.map { ItemPath(section: section, item: $0) }
      }
    }
    for path in (stage.insertedItems + moved.keys).sorted() {
      guard rows.indices.contains(path.section), path.item <= rows[path.section].count else {
        complaints.append("nothing can be put at \(path)")
        continue
      }
      if let text = moved[path] {
        rows[path.section].insert(text, at: path.item)
      } else {
        rows[path.section].insert(nil, at: path.item)
        updated.append(path)
      }
    }
    expect(after == rows.map(\.count), "the batch says \(rows.map(\.count)) rows, the content \(after)")
    guard complaints.isEmpty else { return }
    for path in updated { rows[path.section][path.item] = text(path) }
    for section in stage.updatedSections {
      rows[section.to] = rows[section.to].indices.map { text(ItemPath(section: section.to, item: $0)) }
      headers[section.to] = content?.header(ofSection: section.to)
    }
  }

  /// What is wrong on the screen, compared with asking for everything.
  func check() {
    let all = counts().enumerated().map { section, count in
      (0..<count).map { text(ItemPath(section: section, item: $0)) }
    }
    expect(rows == all, "shown is \(rows), but the list is \(all)")
    expect(headers == all.indices.map { content?.header(ofSection: $0) }, "a header is out of date")
  }

  private func expect(_ condition: Bool, _ complaint: @autoclosure () -> String) {
    if !condition { complaints.append(complaint()) }
  }
}

extension CellPresenter<Row, any LineCell> {
  /// Shows a row by its id and version.
  static var rows: CellPresenter { .configuring(TextCell.self) { cell, row in cell.text = StyledText("\(row)") } }
}
