import FixtureSupport
import Foundation

/// Runs the statements that it reads, one line at a time, through a connection of its own: another program that has a
/// file open.
///
/// It prints the rows of a line's statement, and then a line that ends it: "done", or "failed" and SQLite's message.
struct SQLWorker {
  private let database: RawDatabase

  init(_ path: String) throws { database = try RawDatabase(path: path) }

  func run() {
    while let line = readLine() {
      do {
        let rows = try database.strings(line)
        TrustWorker.say(rows.map { $0.joined(separator: "|") + "\n" }.joined() + "done\n", to: 1)
      } catch {
        TrustWorker.say("failed \(error)\n", to: 1)
      }
    }
  }
}
