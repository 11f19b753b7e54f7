import Foundation
import Testing

/// Every block of Swift in the README, in docs/ and in public comments compiles as it stands, and so does AppleLists.
@Suite struct ExampleTests {
  private let checkout = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..").standardized
    .path()

  /// What the program `examples`, which is beside the tests, says of a folder.
  private func check(_ folder: String) throws -> (code: Int32, output: String) {
    let process = Process()
    process.executableURL = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().appending(
      path: "examples")
    process.arguments = [folder]
    let output = Pipe()
    (process.standardOutput, process.standardError) = (output, output)
    try process.run()
    let data = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: data, as: UTF8.self))
  }

  @Test func `the examples of this checkout compile`() throws {
    let (code, output) = try check(checkout)
    #expect(code == 0, "\(output)")
  }

  @Test func `an example that does not compile is named with its file and line`() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    func write(_ path: String, _ text: String) throws {
      let file = URL(filePath: "\(folder)/\(path)")
      try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(text.utf8).write(to: file)
    }
    let modules = [
      "AppleLists", "CurlTransport", "DataSources", "DataSourcesTestSupport", "FetchedResults", "FetchedResultsCore",
      "FeedServer", "FetchedResultsFoundation", "LiveFeeds", "RowModel", "SQLiteEngine", "SQLiteStore", "TerminalLists",
    ]
    for module in modules { try write("Sources/\(module)/Empty.swift", "") }
    for used in [
      "Sources/CFetchedResultsCurl", "Sources/CFetchedResultsHTTP", "Sources/CFetchedResultsSQLite",
      "Sources/CFetchedResultsSupport/include",
      "Tests/AppleStubs",
    ] {
      try FileManager.default.createDirectory(
        at: URL(filePath: "\(folder)/\(used)").deletingLastPathComponent(), withIntermediateDirectories: true)
      try FileManager.default.createSymbolicLink(
        atPath: "\(folder)/\(used)", withDestinationPath: "\(checkout)/\(used)")
    }
    try write(
      "Sources/AppleLists/Host.swift", "#if canImport(UIKit)\nimport UIKit\nlet a = UITableView.reload\n#endif\n")
    // A page is one program, an example of a comment sees only its own.
    try write("README.md", "```swift\nlet number = 1\n```\n\n```swift\nprint(number)\n```\n")
    try write("docs/Page.md", "Text.\n\n  ```swift\n  let a = 1\n  let b: String = a\n  ```\n")
    try write(
      "Sources/RowModel/Row.swift",
      "/// ```swift\n/// let number = 1\n/// ```\nstruct A {\n  /// ```swift\n  /// print(number)\n  /// ```\n  var b = 1\n}\n"
    )
    // A catalogue's page is read, and what it links to is read in docs/ only.
    try write("Sources/RowModel/RowModel.docc/RowModel.md", "```swift\nlet c: Int = 1.5\n```\n")
    try FileManager.default.createSymbolicLink(
      atPath: "\(folder)/Sources/RowModel/RowModel.docc/Page.md", withDestinationPath: "\(folder)/docs/Page.md")
    // Blocks of other libraries aren't compiled, and cite their source.
    try write(
      "docs/Other.md",
      "```swift GRDB\nlet a: Int = b\n```\n\nSource: <https://example.org>\n\n```swift GRDB\nlet b = 1\n```\n\nText.\n")
    let (code, output) = try check(folder)
    #expect(code == 1)
    #expect(
      output == """
        Sources/AppleLists/Host.swift:3: type 'UITableView' has no member 'reload' [UIKit]
        Sources/RowModel/Row.swift:6: line 6: cannot find 'number' in scope
        Sources/RowModel/RowModel.docc/RowModel.md:2: line 2: cannot convert value of type 'Double' to specified type 'Int'
        docs/Other.md:8: cite the page of this block of GRDB in the next line: Source: https://…
        docs/Page.md:4: line 5: cannot convert value of type 'Int' to specified type 'String'
        6 examples, 5 don't compile; 2 of other libraries

        """)
  }
}
