// Compiles every block of Swift in the README, in docs/ and in the catalogues and comments of the modules that a
// program can import, as it stands, and prints what the compiler says of it. Counts blocks of other libraries, which
// have to cite their source. Compiles the module AppleLists too, with Tests/AppleStubs.
//
//   examples FOLDER [--count]
//
// FOLDER is the checkout. With --count the program only prints how many blocks do not compile.

import Foundation

/// All examples, and those that don't compile.
func check(_ folder: String) throws -> (examples: [Example], refusals: [ExampleCompiler.Refusal]) {
  let work = FileManager.default.temporaryDirectory.appending(path: "examples-" + UUID().uuidString)
  try FileManager.default.createDirectory(at: work, withIntermediateDirectories: true)
  defer { try? FileManager.default.removeItem(at: work) }
  let modules = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().appending(path: "Modules").path(
    percentEncoded: false)
  let examples = try Example.all(in: folder)
  let compiler = ExampleCompiler(folder: folder, modules: modules, work: work.path(percentEncoded: false))
  return (examples, try compiler.refusals(of: examples))
}

do {
  let (examples, refusals) = try check(CommandLine.arguments.count > 1 ? CommandLine.arguments[1] : ".")
  let count = Set(refusals.map(\.example)).count
  if CommandLine.arguments.contains("--count") {
    print(count)
  } else {
    for refusal in refusals { print(refusal) }
    let others = examples.count { $0.library != nil }
    print("\(examples.count - others) examples, \(count) don't compile; \(others) of other libraries")
  }
  exit(count == 0 || CommandLine.arguments.contains("--count") ? 0 : 1)
} catch {
  FileHandle.standardError.write(Data("examples: \(error)\n".utf8))
  exit(2)
}
