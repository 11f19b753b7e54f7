import ExampleContext
import Foundation
import Testing

/// Every block of Swift in the README, in docs/, in catalogues and in public comments compiles as it stands, and so
/// does AppleLists.
@Suite struct ExampleTests {
  private let checkout = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..").standardized
    .path(percentEncoded: false)

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

  /// The blocks of a page that begin with a word behind the fence.
  private func blocks(_ language: String, of page: String) throws -> [String] {
    let text = try String(contentsOfFile: checkout + page, encoding: .utf8)
    return text.components(separatedBy: "\n```\(language)\n").dropFirst().map { $0.components(separatedBy: "\n```")[0] }
  }

  @Test func `the program of GettingStarted prints what the page says, also when another program writes`() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let program = try #require(try blocks("swift", of: "docs/GettingStarted.md").first { $0.contains("\n@main ") })
    try program.write(to: folder.appending(path: "Shop.swift"), atomically: false, encoding: .utf8)
    // The lines of both terminals, without the command.
    let expected = try blocks("console", of: "docs/GettingStarted.md").flatMap { $0.split(separator: "\n") }
      .filter { !$0.hasPrefix("$ ") }.map(String.init)

    let built = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
    let modules = [
      "DataSources", "FetchedResults", "FetchedResultsCore", "FetchedResultsSupport", "CFetchedResultsSupport",
      "RowModel", "SQLiteEngine", "SQLiteStore",
    ]
    let objects = try modules.flatMap { module in
      let folder = built.appending(path: module + ".build").path(percentEncoded: false)
      return try FileManager.default.subpathsOfDirectory(atPath: folder).filter { $0.hasSuffix(".o") }
        .map { folder + "/" + $0 }
    }
    let compiler = Process()
    compiler.executableURL = URL(filePath: "/usr/bin/env")
    compiler.currentDirectoryURL = folder
    compiler.arguments =
      ["swiftc", "-parse-as-library", "-swift-version", "6", "-module-name", "Shop", "-o", "shop", "Shop.swift"]
      + [
        "-I", built.appending(path: "Modules").path(percentEncoded: false), "-I",
        checkout + "Sources/CFetchedResultsSQLite",
      ]
      + ["-I", checkout + "Sources/CFetchedResultsSupport/include", "-lsqlite3"] + objects
    try compiler.run()
    compiler.waitUntilExit()
    try #require(compiler.terminationStatus == 0)

    // Its output is a pipe, so it would be held back without stdbuf.
    let shop = Process()
    shop.executableURL = URL(filePath: "/usr/bin/env")
    shop.currentDirectoryURL = folder
    shop.arguments = ["stdbuf", "-oL", "./shop"]
    let output = Pipe()
    shop.standardOutput = output
    try shop.run()
    defer {
      shop.terminate()
      shop.waitUntilExit()
    }
    // A program that prints too little is ended, so the test fails and doesn't hang.
    let watch = DispatchSource.makeTimerSource()
    watch.setEventHandler { shop.terminate() }
    watch.schedule(deadline: .now() + 60)
    watch.resume()
    defer { watch.cancel() }
    var lines: [String] = []
    var rest: [UInt8] = []
    func read(to count: Int) {
      while lines.count < count {
        let data = output.fileHandleForReading.availableData
        if data.isEmpty { return }
        rest += data
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
          lines.append(String(decoding: rest[..<end], as: UTF8.self))
          rest.removeSubrange(...end)
        }
      }
    }
    read(to: 4)
    let other = try Database(path: folder.appending(path: "shop.db").path(percentEncoded: false))
    try other.write { c in try c.execute("UPDATE item SET done = 1 WHERE title = 'Rent'") }
    read(to: expected.count)
    #expect(lines == expected)
  }

  @Test func `an example that does not compile is named with its file and line`() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path(percentEncoded: false)
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
