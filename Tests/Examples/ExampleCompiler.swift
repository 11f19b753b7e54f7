import Foundation

/// Compiles examples as they stand, with the Swift compiler and the modules that are built.
///
/// The blocks of a page belong together, so they are one program. A block of a comment is the body of a function on the
/// main actor, as a program's own lines are, or a program if it imports or extends something. Each can use what
/// `ExampleContext` declares; where it declares the same itself, its own is meant.
struct ExampleCompiler {
  /// An example that the compiler refuses, and what it says.
  struct Refusal: Hashable, CustomStringConvertible {
    var example: Example
    var message: String
    var description: String { "\(example): \(message)" }
  }

  private let folder: String
  private let modules: String
  private let work: String

  /// - Parameters:
  ///   - folder: The checkout.
  ///   - modules: The folder of the built modules.
  ///   - work: An empty folder for what is written meanwhile.
  init(folder: String, modules: String, work: String) {
    (self.folder, self.modules, self.work) = (folder, modules, work)
  }

  /// The examples that do not compile.
  func refusals(of examples: [Example]) throws -> [Refusal] {
    let ours = examples.filter { $0.library == nil }
    let manifests = ours.filter(\.isManifest)
    let rest = ours.filter { !$0.isManifest }
    let functions = rest.filter { $0.isComment && !$0.isProgram }
    let pages = Dictionary(grouping: rest.filter { !$0.isComment && !$0.isWhole }, by: \.file).values
    var programs = Array(pages) + rest.filter { $0.isComment && $0.isProgram }.map { [$0] }
    var refusals = try checkAppleLists()
    let uncited = examples.filter { $0.library != nil && !$0.isCited }
    // What imports it would be refused for its faults.
    if !refusals.isEmpty { programs.removeAll { $0.contains { $0.text.contains("import AppleLists\n") } } }
    for manifest in manifests {
      let flags = ["-I", try manifestModules(), "-package-description-version", "6.2"]
      refusals += try compile([source([manifest])], of: [manifest], flags)
    }
    for example in rest.filter(\.isWhole) {
      refusals += try compile([source([example])], of: [example], importing([example]) + ["-parse-as-library"])
    }
    for program in programs {
      let source = "import ExampleContext\nimport Testing\n" + source(program)
      refusals += try compile([source], of: program, importing(program))
    }
    let bodies = functions.enumerated().map { number, example in
      "import ExampleContext\nimport Testing\n@MainActor func example\(number)() \(example.text.contains("await ") ? "async " : "")throws {\n\(source([example]))}\n"
    }
    if !bodies.isEmpty { refusals += try compile(bodies, of: functions, importing(functions) + ["-parse-as-library"]) }
    refusals += uncited.map {
      Refusal(example: $0, message: "cite the page of this block of \($0.library!) in the next line: Source: https://…")
    }
    return refusals.sorted { ($0.example.file, $0.example.line) < ($1.example.file, $1.example.line) }
  }

  /// The text of the examples, with each line's number in its own file.
  private func source(_ examples: [Example]) -> String {
    examples.map { "#sourceLocation(file: \"\($0.file)\", line: \($0.line))\n\($0.text)#sourceLocation()\n" }.joined()
  }

  /// Compiles the module AppleLists, and the app Bookshelf, as on iOS and macOS, with declarations of our own of the
  /// views in Tests/AppleStubs. On Linux the module that is built is almost empty, so the examples import these two
  /// instead.
  ///
  /// Emitting a module also finds what `-typecheck` leaves out, such as data races.
  private func checkAppleLists() throws -> [Refusal] {
    var refusals: Set<Refusal> = []
    for kit in ["UIKit", "AppKit"] {
      try FileManager.default.createDirectory(atPath: "\(work)/\(kit)", withIntermediateDirectories: true)
      func emit(_ module: String, _ files: [String]) throws -> String {
        try run(
          [
            "swiftc", "-emit-module", "-emit-module-path", "\(work)/\(kit)/\(module).swiftmodule",
            "-whole-module-optimization", "-swift-version", "6", "-warnings-as-errors", "-module-name", module,
            "-module-cache-path", work + "/cache", "-package-name", packageName,
          ]
            + ["ExistentialAny", "InternalImportsByDefault", "MemberImportVisibility"].flatMap {
              ["-enable-upcoming-feature", $0]
            }
            + ["-I", "\(work)/\(kit)"] + importing + files.map { "\(folder)/\($0)" })
      }
      for stub in [kit, "SwiftUI"] {
        let output = try emit(stub, ["Tests/AppleStubs/\(stub).swift"])
        if output.contains("error:") { throw CompilerFailure(description: output) }
      }
      for module in ["AppleLists", "Bookshelf"]
      where FileManager.default.fileExists(atPath: "\(folder)/Sources/\(module)") {
        let files = try Example.names(in: "\(folder)/Sources/\(module)", ending: ".swift").map {
          "Sources/\(module)/\($0)"
        }
        let output = try emit(module, files)
        let refused = try output.split(separator: "\n").compactMap { line -> Refusal? in
          guard let match = try /^(.+?):([0-9]+):[0-9]+: error: (.*)$/.firstMatch(in: line), let number = Int(match.2),
            let file = files.first(where: { match.1.hasSuffix($0) })
          else { return nil }
          return Refusal(example: Example(file: file, line: number, text: ""), message: "\(match.3) [\(kit)]")
        }
        guard !refused.isEmpty || !output.contains("error:") else { throw CompilerFailure(description: output) }
        refusals.formUnion(refused)
      }
    }
    return Array(refusals)
  }

  /// The name that SwiftPM gives to this package when it compiles it: that of its folder.
  private var packageName: String {
    let name = URL(filePath: folder).standardized.lastPathComponent.lowercased()
    let start = name.first?.isNumber == true ? "_" : ""
    return start + name.map { $0.isLetter || $0.isNumber ? String($0) : "_" }.joined()
  }

  /// Where the modules that examples import are. The views of UIKit and AppKit have declarations of the same names.
  private func importing(_ examples: [Example]) -> [String] {
    let kit = examples.contains { $0.text.contains("import AppKit\n") } ? "AppKit" : "UIKit"
    return ["-I", "\(work)/\(kit)"] + importing
  }

  private var importing: [String] {
    let headers = [
      "CFetchedResultsCurl", "CFetchedResultsHTTP", "CFetchedResultsSQLite", "CFetchedResultsSupport/include",
    ].map { "\(folder)/Sources/\($0)" }
    return ([modules] + headers).flatMap { ["-I", $0] }
  }

  /// The folder of the module that a Package.swift imports, beside the compiler.
  private func manifestModules() throws -> String {
    let compiler = try run(["sh", "-c", "readlink -f \"$(command -v swiftc)\""]).trimmingCharacters(in: .newlines)
    return URL(filePath: compiler).deletingLastPathComponent().path(percentEncoded: false)
      + "../lib/swift/pm/ManifestAPI"
  }

  private func compile(_ sources: [String], of examples: [Example], _ flags: [String]) throws -> [Refusal] {
    let files = try sources.enumerated().map { number, source in
      let file = "\(work)/example\(number).swift"
      try source.write(toFile: file, atomically: false, encoding: .utf8)
      return file
    }
    let output = try run(
      [
        "swiftc", "-emit-sil", "-o", "/dev/null", "-whole-module-optimization", "-swift-version", "6",
        "-suppress-warnings", "-module-name", "Examples",
      ]
        + ["-module-cache-path", work + "/cache"] + flags + files)
    let refusals = try output.split(separator: "\n").compactMap { line -> Refusal? in
      guard let match = try /^(.+?):([0-9]+):[0-9]+: error: (.*)$/.firstMatch(in: line), let number = Int(match.2),
        let example = examples.last(where: { match.1.hasSuffix($0.file) && $0.line <= number })
      else { return nil }
      return Refusal(example: example, message: "line \(number): \(match.3)")
    }
    guard !refusals.isEmpty || !output.contains("error:") else { throw CompilerFailure(description: output) }
    return refusals
  }

  /// What the compiler says, if it blames no example.
  private struct CompilerFailure: Error, CustomStringConvertible {
    var description: String
  }

  /// What a command writes.
  private func run(_ command: [String]) throws -> String {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = command
    let output = Pipe()
    (process.standardOutput, process.standardError) = (output, output)
    try process.run()
    let data = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return String(decoding: data, as: UTF8.self)
  }
}
