/// The formats in which items are exported and imported.
public enum TransferFormat: String, CaseIterable, Sendable {
  /// Our own JSON, which holds everything.
  case json
  /// todo.txt.
  case todotxt
  /// What `task export` of taskwarrior writes.
  case taskwarrior
  /// Checklists in Markdown.
  case markdown
  /// A table with a header row.
  case csv

  /// The format with a name; an error suggests the nearest one.
  public init(name: String) throws(TodoError) {
    guard let format = TransferFormat(rawValue: name.lowercased()) else {
      let names = Self.allCases.map(\.rawValue)
      throw .usage(
        "there is no format \"\(name)\""
          + Suggestion.clause(for: name, among: names, otherwise: "choose json, todotxt, taskwarrior, markdown or csv"))
    }
    self = format
  }

  /// The format of a file: by its content and, where that tells too little, by its name. Any text can be todo.txt.
  public init(content: [UInt8], fileName: String) {
    let start = String(decoding: content.prefix(4096), as: UTF8.self).unicodeScalars.drop {
      $0 == "\u{FEFF}" || $0.properties.isWhitespace
    }
    let lines = start.split { $0 == "\n" || $0 == "\r" }.map { Substring($0) }
    let text = Substring(start)
    let named = TransferFormat(fileName: fileName)
    if named == .json || text.hasPrefix("{") || text.hasPrefix("[") && text.dropFirst().trimmed.hasPrefix("{") {
      // A task of taskwarrior has a description, an item of ours a title.
      let isTask = text.contains("\"description\"") && !text.contains("\"schema\"") && !text.contains("\"title\"")
      self = isTask ? .taskwarrior : .json
    } else if let named, named != .todotxt {
      self = named
    } else if lines.contains(where: { MarkdownFormat.box($0) != nil }) {
      self = .markdown
    } else if lines.count > 1, let sign = ",;\t".first(where: { lines[0].contains($0) }), lines[1].contains(sign),
      lines[0].split(separator: sign).contains(where: { $0.trimmed.lowercased() == "title" })
    {
      self = .csv
    } else {
      self = .todotxt
    }
  }

  /// The format for a file name; nil if the name doesn't show it.
  public init?(fileName: String) {
    let name = fileName.split(separator: "/").last.map { $0.lowercased() } ?? ""
    switch name.split(separator: ".").last.map(String.init) ?? "" {
    case _ where !name.contains("."): return nil
    case "json": self = name.contains("taskwarrior") ? .taskwarrior : .json
    case "txt": self = .todotxt
    case "md", "markdown": self = .markdown
    case "csv": self = .csv
    default: return nil
    }
  }

  /// Reads a file. Invalid content is bad data, and the error names the line and column.
  public func read(_ bytes: [UInt8], at moment: Moment = .now) throws(TodoError) -> ImportBatch {
    switch self {
    case .json: try JSONFormat.read(bytes)
    case .todotxt: try TodoTxtFormat.read(bytes, moment.zone)
    case .taskwarrior: try TaskwarriorFormat.read(bytes, moment.zone)
    case .markdown: try MarkdownFormat.read(bytes)
    case .csv: try CSVFormat.read(bytes)
    }
  }

  /// A writer for the format.
  ///
  /// - Parameter ids: Whether todo.txt and CSV get the UUIDs of the items. JSON and taskwarrior always have them,
  ///   checklists never.
  public func writer(at moment: Moment = .now, ids: Bool = false) -> any ExportWriter {
    switch self {
    case .json: JSONFormat.Writer()
    case .todotxt: TodoTxtFormat.Writer(zone: moment.zone, ids: ids)
    case .taskwarrior: TaskwarriorFormat.Writer(at: moment)
    case .markdown: MarkdownFormat.Writer()
    case .csv: CSVFormat.Writer(ids: ids)
    }
  }
}

/// Writes an export: first its head, then the items list by list, then the end.
///
/// Each call returns the next bytes.
public protocol ExportWriter {
  /// What the format can't hold of the items that were written.
  var loss: ExportLoss { get }
  /// The text before all items.
  mutating func begin(_ head: ExportHead) throws -> [UInt8]
  /// An item; `previous` is the UUID of the instance that it follows.
  mutating func write(_ item: Item, previous: String?) throws -> [UInt8]
  /// The text after all items.
  mutating func end() throws -> [UInt8]
}

extension ExportWriter {
  /// Nothing.
  public var loss: ExportLoss { ExportLoss() }
}
