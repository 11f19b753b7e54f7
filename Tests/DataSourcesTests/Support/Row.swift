import DataSources
import TerminalLists

/// A row with an identity and a content.
struct Row: Identifiable, Hashable, Sendable, Codable, CustomStringConvertible {
  var id: Int
  var version = 0

  init(_ id: Int, _ version: Int = 0) {
    self.id = id
    self.version = version
  }

  var description: String { version == 0 ? "\(id)" : "\(id)v\(version)" }
}

extension Section<Row> {
  /// A section named as its id.
  init(_ id: String, _ rows: [Int], name: String? = nil) {
    self.init(id: .text(id), name: name ?? id, items: rows.map { Row($0) })
  }
}

extension Snapshot<Row> {
  /// A list of sections by id.
  init(_ sections: KeyValuePairs<String, [Int]>) {
    self.init(sections.map { Section($0.key, $0.value) })
  }

  /// The ids, for messages.
  var text: String { map { "\($0.id)\(Array($0.items))" }.joined(separator: " ") }
}

/// The same sections and rows in memory of their own.
func rebuilt(_ snapshot: Snapshot<Row>) -> Snapshot<Row> {
  Snapshot(
    snapshot.map { section in
      Section(
        id: section.id, name: section.name, indexTitle: section.indexTitle, header: section.header,
        footer: section.footer, items: Array(section.items))
    })
}

extension CellPresenter<Row, any LineCell> {
  /// Shows a row by its id and version.
  static var rows: CellPresenter { .configuring(TextCell.self) { cell, row in cell.text = StyledText("\(row)") } }
}
