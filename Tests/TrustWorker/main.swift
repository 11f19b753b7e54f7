import FetchedResultsSupport
import SQLiteStore
import TodoCore
import TrustSupport

/// Writes to a database until it is killed, and prints what has been acknowledged, one number in each line.
///
/// Arguments: what to do, the file, and the number to begin with. For the work under load it is the number of the
/// process, and a fourth argument gives the duration in milliseconds; see `LoadWorker`.
enum TrustWorker {
  static func run(_ arguments: [String]) throws {
    if arguments.count == 5, let number = Int(arguments[3]), let milliseconds = Int(arguments[4]) {
      return say(try LoadWorker(arguments[2], number, milliseconds).run(arguments[1]), to: 1)
    }
    guard arguments.count == 4, let first = Int(arguments[3]) else {
      throw DatabaseError(code: .misuse, message: "usage: TrustWorker WORK FILE NUMBER")
    }
    let path = arguments[2]
    switch arguments[1] {
    case "write": try write(path, first)
    case "history": try history(path, first)
    case "todo": try todo(path, first)
    case "import": try importItems(path, first)
    case "migrate": try migrate(path, first)
    case "backup": try backup(path, first)
    case "sql": try SQLWorker(path).run()
    default: throw DatabaseError(code: .misuse, message: "there is no work \(arguments[1])")
    }
  }

  private static func acknowledge(_ number: Int) {
    say("\(number)\n", to: 1)
  }

  static func say(_ text: String, to descriptor: Int32) {
    Array(text.utf8).withUnsafeBytes { bytes in
      var rest = bytes[...]
      while !rest.isEmpty {
        let piece = UnsafeRawBufferPointer(rebasing: rest)
        let count = CLibrary.write(descriptor, piece)
        // A reader that has gone sends no more requests.
        if count <= 0 { return }
        rest = rest[(rest.startIndex + count)...]
      }
    }
  }

  private static func write(_ path: String, _ first: Int) throws {
    let database = try Database(path: path)
    try database.migrate(Batches.migrations)
    try batches(database, first)
  }

  /// The same with a recorded history that keeps few entries, so that it is pruned all the time.
  private static func history(_ path: String, _ first: Int) throws {
    let database = try Database(path: path)
    try database.migrate(Batches.migrations)
    try database.recordHistory(of: ["part", "batch"], keeping: 32)
    try batches(database, first)
  }

  private static func batches(_ database: Database, _ first: Int) throws {
    for number in first... {
      try database.write { connection in
        try Batches.write(
          number, rows: 1 + number % 7, bytes: number % 9 == 0 ? 9000 : 300, removing: number % 3 == 0 ? number - 5 : 0,
          connection)
      }
      acknowledge(number)
      if number % 20 == 0 { try database.checkpoint() }
    }
  }

  private static func todo(_ path: String, _ first: Int) throws {
    let store = try TodoStore.open(DatabaseLocation(path: path))
    for number in first... {
      let added = try store.add(ItemDraft(title: "Item \(number)", list: "List \(number % 3)", tags: ["tag"]))
      acknowledge(number)
      if number % 2 == 0 { _ = try store.done(Selection(added.items[0].id)) }
      if number % 5 == 0 { _ = try store.undo() }
      if number % 7 == 0 { try store.database.write { try $0.execute("DELETE FROM change WHERE id <= \(number)") } }
    }
  }

  private static func importItems(_ path: String, _ first: Int) throws {
    let store = try TodoStore.open(DatabaseLocation(path: path))
    for number in first... {
      var batch = ImportBatch()
      for part in 0..<40 {
        var item = ImportedItem(title: "Item \(number)")
        item.notes = ["part \(part)"]
        item.list = "List \(part % 4)"
        batch.items.append(item)
      }
      _ = try store.importItems(batch)
      acknowledge(number)
    }
  }

  private static func migrate(_ path: String, _ first: Int) throws {
    for number in first... {
      let store = try TodoStore.open(DatabaseLocation(path: "\(path)-\(number)"))
      acknowledge(number)
      _ = try store.add(ItemDraft(title: "Item"))
    }
  }

  private static func backup(_ path: String, _ first: Int) throws {
    let database = try Database(path: path)
    try database.migrate(Batches.migrations)
    for number in first... {
      try database.write { try Batches.write(number, rows: 3, bytes: 4000, $0) }
      try database.backup(to: "\(path)-\(number)", pagesPerStep: 5)
      acknowledge(number)
    }
  }
}

do {
  try TrustWorker.run(CommandLine.arguments)
} catch {
  TrustWorker.say("TrustWorker: \(error)\n", to: 2)
  exit(1)
}
