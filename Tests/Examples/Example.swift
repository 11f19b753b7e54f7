import Foundation

/// A block of Swift that a page or a comment shows.
///
/// A block that begins with more than ```swift shows another library, which the rest of that line names, such as
/// ```swift GRDB. It is not compiled; the next line with text has to cite its page: "Source: https://…".
struct Example: Hashable, CustomStringConvertible {
  /// The file, from the checkout's folder, and the line at which the block's first line is.
  var file: String
  var line: Int
  var text: String
  /// The library that the block shows, if it is another one.
  var library: String?
  /// Whether the block of another library is followed by its source.
  var isCited = false

  var description: String { "\(file):\(line)" }
  /// Whether the block is in a Swift file's comments, and not on a page.
  var isComment: Bool { file.hasSuffix(".swift") }
  /// Whether the block is a Package.swift.
  var isManifest: Bool { text.hasPrefix("// swift-tools-version") }
  /// Whether the block is a program with a `main` function.
  var isWhole: Bool { text.contains("\n@main ") }
  /// Whether the block has declarations that can't be in a function.
  var isProgram: Bool { text.split(separator: "\n").contains { $0.hasPrefix("import ") || $0.hasPrefix("extension ") } }

  /// All blocks of the pages, of the catalogues and of the comments of the modules that a program can import.
  static func all(in folder: String) throws -> [Example] {
    let pages = try ["README.md"] + names(in: folder + "/docs", ending: ".md").map { "docs/" + $0 }
    let modules = [
      "AppleLists", "CurlTransport", "DataSources", "DataSourcesTestSupport", "FetchedResults", "FetchedResultsCore",
      "FeedServer", "FetchedResultsFoundation", "LiveFeeds", "RowModel", "SQLiteEngine", "SQLiteStore", "TerminalLists",
    ]
    // A catalogue has links to the pages in docs/, which are read there.
    let sources = try modules.flatMap { module in
      try [".swift", ".md"].flatMap { try names(in: "\(folder)/Sources/\(module)", ending: $0) }
        .map { "Sources/\(module)/\($0)" }
        .filter { (try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\($0)")) == nil }
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
    // Whether the next line with text may be the source of the last block.
    var mayCite = false
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
          (open, mayCite) = (nil, block.example.library != nil)
        } else {
          open?.example.text += line.dropFirst(min(block.indentation, line.count - bare.count)) + "\n"
        }
      } else if bare.hasPrefix("```") {
        let words = bare.dropFirst(3).split(separator: " ", maxSplits: 1).map(String.init)
        open = (
          Example(file: file, line: index + 2, text: "", library: words.count > 1 ? words[1] : nil),
          line.count - bare.count, words.first == "swift"
        )
      } else if mayCite, !bare.isEmpty {
        examples[examples.count - 1].isCited = bare.hasPrefix("Source: ") && bare.contains("https://")
        mayCite = false
      }
    }
    return examples
  }
}
