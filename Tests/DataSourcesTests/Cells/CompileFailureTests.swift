import Foundation
import TerminalLists
import Testing

/// Wrong combinations don't compile, and the compiler says why.
@Suite struct CompileFailureTests {
  static let compiler = findCompiler()
  static let modules = findModules()

  static let preamble = """
    import DataSources
    import TerminalLists
    struct Task: Sendable { var title: String }
    struct Contact: Sendable { var name: String }
    let tasks = SectionController<Task>([])
    let showsTasks = CellPresenter<Task, any LineCell>.configuring(TextCell.self) { cell, task in
      cell.text = StyledText(task.title)
    }
    let showsContacts = CellPresenter<Contact, any LineCell>.configuring(TextCell.self) { cell, contact in
      cell.text = StyledText(contact.name)
    }

    """

  @Test(.enabled(if: compiler != nil, "there is no swiftc on PATH"))
  func `source and presenter that agree compile`() throws {
    let messages = try typecheck(
      "let adapter = ListAdapter(source: tasks, presenter: showsTasks, host: PlainTextRenderer())")
    #expect(messages == "")
    let erased = try typecheck(
      "let adapter = ListAdapter(source: AnyDataSource(tasks), presenter: showsTasks, host: PlainTextRenderer())")
    #expect(erased == "")
  }

  @Test(.enabled(if: compiler != nil, "there is no swiftc on PATH"))
  func `another item than the source's does not compile`() throws {
    let messages = try typecheck(
      "let adapter = ListAdapter(source: tasks, presenter: showsContacts, host: PlainTextRenderer())")
    #expect(messages.contains("error:"))
    #expect(messages.contains("'Contact'") && messages.contains("'Task'"), "\(messages)")
  }

  @Test(.enabled(if: compiler != nil, "there is no swiftc on PATH"))
  func `a cell that sets another item does not compile`() throws {
    let messages = try typecheck("let presenter = CellPresenter<Task, any LineCell>.settingData(TextCell.self)")
    #expect(messages.contains("error:"))
    #expect(messages.contains("Task") && messages.contains("String"), "\(messages)")
  }

  @Test(.enabled(if: compiler != nil, "there is no swiftc on PATH"))
  func `another cell than the host's does not compile`() throws {
    let messages = try typecheck(
      """
      let other = CellPresenter<Task, Int>(registrations: []) { _, _, _ in 0 }
      let adapter = ListAdapter(source: tasks, presenter: other, host: PlainTextRenderer())
      """)
    #expect(messages.contains("error:"))
    #expect(messages.contains("Int"), "\(messages)")
  }

  /// What the compiler says of a snippet against the built modules; nothing when it compiles.
  func typecheck(_ snippet: String) throws -> String {
    let compiler = try #require(Self.compiler)
    let modules = try #require(Self.modules, "the built modules are not where the test program is")
    let folder = FileManager.default.temporaryDirectory.appending(path: "snippet-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appending(path: "main.swift")
    try (Self.preamble + snippet).write(to: file, atomically: true, encoding: .utf8)

    let process = Process()
    process.executableURL = compiler
    process.arguments = [
      "-typecheck", "-swift-version", "6", "-I", modules.path, "-I", Self.headers.path, file.path,
    ]
    let output = Pipe()
    process.standardError = output
    process.standardOutput = output
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return process.terminationStatus == 0 ? "" : text
  }

  /// The headers of the C target that the modules need.
  static var headers: URL {
    URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "Sources/CFetchedResultsSupport/include")
  }

  static func findCompiler() -> URL? {
    let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
    for folder in folders {
      let file = URL(filePath: String(folder)).appending(path: "swiftc")
      if FileManager.default.isExecutableFile(atPath: file.path) { return file }
    }
    return nil
  }

  /// The folder that this very build put its modules in: beside the test program, or above it.
  static func findModules() -> URL? {
    var folder = URL(filePath: CommandLine.arguments[0]).resolvingSymlinksInPath().deletingLastPathComponent()
    for _ in 0..<5 {
      for candidate in [folder.appending(path: "Modules"), folder] {
        let module = candidate.appending(path: "DataSources.swiftmodule")
        if FileManager.default.fileExists(atPath: module.path) { return candidate }
      }
      folder.deleteLastPathComponent()
    }
    return nil
  }
}
