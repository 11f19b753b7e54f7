// A tour with a temporary database: entities and transactions, following the commits of this program and of another
// one, and a live list.

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
