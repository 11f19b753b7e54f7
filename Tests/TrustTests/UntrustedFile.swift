import FixtureSupport
import Foundation
import SQLiteStore
import TodoCore

/// A database file that somebody made who means harm.
struct UntrustedFile {
  let folder: String
  var path: String { folder + "/untrusted.db" }

  /// Creates one with a script in which `abs` stands for the function to be called: that function need not exist,
  /// because the text of the schema is replaced afterwards.
  init(_ script: String, calling call: String? = nil) throws {
    folder = try TemporaryFolder.make()
    try Data().write(to: URL(filePath: folder + "/untrusted.db"))
    let raw = try RawDatabase(path: path)
    try raw.execute(script)
    if let call { try Self.replace("abs(1)", by: call, raw) }
  }

  /// A copy of the file of the to-do program, with what is added to it.
  init(todo script: String, calling call: String? = nil) throws {
    folder = try TemporaryFolder.make()
    do {
      let store = try TodoStore.open(DatabaseLocation(path: path))
      _ = try store.add(ItemDraft(title: "Milk", list: "Home", tags: ["shop"]))
      try store.close()
    }
    let raw = try RawDatabase(path: path)
    try raw.execute(script)
    if let call { try Self.replace("abs(1)", by: call, raw) }
    // One file without anything beside it.
    try raw.execute("PRAGMA journal_mode = DELETE")
  }

  private static func replace(_ part: String, by call: String, _ raw: RawDatabase) throws {
    let quoted = call.replacingOccurrences(of: "'", with: "''")
    try raw.execute(
      "PRAGMA writable_schema = 1; UPDATE sqlite_schema SET sql = replace(sql, '\(part)', '\(quoted)')")
  }

  /// What it holds, to the byte.
  func bytes() throws -> Data { try Data(contentsOf: URL(filePath: path)) }
}
