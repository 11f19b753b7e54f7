// A tour on a throw-away database: entities and transactions, following what this program and another one commit, and a
// live list of it.

import SQLiteStore

do {
  if CommandLine.arguments.count == 3, CommandLine.arguments[1] == "--other-program" {
    try runOtherProgram(path: CommandLine.arguments[2])
  } else {
    let folder = try DemoFolder()
    defer { folder.remove() }
    try runDemo(path: folder.path("todo.db"))
    try await runControllerDemo(path: folder.path("todo.db"))
    runListDemo()
  }
} catch {
  print("demo: \(error)")
  exitDemo(1)
}
