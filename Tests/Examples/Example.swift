import Foundation

/// A block of Swift that a page or a comment shows.
struct Example: Hashable, CustomStringConvertible {
  /// The file, from the checkout's folder, and the line at which the block's first line is.
  var file: String
  var line: Int
  var text: String

  var description: String { "\(file):\(line)" }
  /// Whether the block is in a Swift file's comments, and not on a page.
  var isComment: Bool { file.hasSuffix(".swift") }
  /// Whether the block is a Package.swift.
  var isManifest: Bool { text.hasPrefix("// swift-tools-version") }
  /// Whether the block has declarations that can't be in a function.
  var isProgram: Bool { text.split(separator: "\n").contains { $0.hasPrefix("import ") || $0.hasPrefix("extension ") } }

  /// All blocks of the pages, and of the comments of the modules that a program can import.
  static func all(in folder: String) throws -> [Example] {
    let pages = try ["README.md"] + names(in: folder + "/docs", ending: ".md").map { "docs/" + $0 }
    let modules = [
      "AppleLists", "DataSources", "DataSourcesTestSupport", "FeedServer", "FetchedResults", "FetchedResultsCore",
      "FetchedResultsFoundation", "LiveFeeds", "RowModel", "SQLiteEngine", "SQLiteStore", "TerminalLists",
    ]
    let sources = try modules.flatMap { module in
      try names(in: folder + "/Sources/" + module, ending: ".swift").map { "Sources/\(module)/\($0)" }
    }
    return try (pages + sources).flatMap { file in
      examples(of: try String(contentsOfFile: folder + "/" + file, encoding: .utf8), file: file)
    }
  }

  static func names(in folder: String, ending: String) throws -> [String] {
    try FileManager.default.subpathsOfDirectory(atPath: folder).filter { $0.hasSuffix(ending) }.sorted()
  }

  /// The blocks that begin with ```swift, without the indentation of that line.
  static func examples(of text: String, file: String) -> [Example] {
    var examples: [Example] = []
    var open: (example: Example, indentation: Int, isSwift: Bool)?
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      var line = line
      if file.hasSuffix(".swift") {
        let comment = line.drop { $0 == " " }
        guard comment.hasPrefix("///") else {
          open = nil
          continue
        }
        line = comment.dropFirst(comment.hasPrefix("/// ") ? 4 : 3)
      }
      let bare = line.drop { $0 == " " }
      if let block = open {
        if bare == "```" {
          if block.isSwift { examples.append(block.example) }
          open = nil
        } else {
          open?.example.text += line.dropFirst(min(block.indentation, line.count - bare.count)) + "\n"
        }
      } else if bare.hasPrefix("```") {
        open = (Example(file: file, line: index + 2, text: ""), line.count - bare.count, bare == "```swift")
      }
    }
    return examples
  }
}
