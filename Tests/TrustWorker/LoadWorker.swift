import SQLiteStore
import TodoCore
import TrustSupport

/// One of several processes that write and read at the same time; any error ends it.
///
/// It says, a line each, how many microseconds each write or read took: as many lines as have been acknowledged.
struct LoadWorker {
  private let path: String
  private let number: Int
  private let duration: Duration

  init(_ path: String, _ number: Int, _ milliseconds: Int) {
    self.path = path
    self.number = number
    duration = .milliseconds(milliseconds)
  }

  func run(_ work: String) throws -> String {
    switch work {
    case "load-write":
      let database = try Database(path: path)
      return try measured { count in try database.write { try Load.write(count, by: number, $0) } }
    case "load-read":
      let database = try Database(path: path)
      var last: [Int: Int] = [:]
      return try measured { _ in
        let counts = try database.read { try Load.counts($0) }
        for (writer, count) in last where counts[writer, default: 0] < count { throw Lost(writer: writer) }
        last = counts
      }
    case "load-todo-write":
      // As commands do it: each opens the database, makes its change, and ends.
      return try measured { count in
        let store = try TodoStore.open(DatabaseLocation(path: path))
        _ = try store.add(ItemDraft(title: "\(number) \(count)", list: "List \(number)", tags: ["load"]))
        try store.close()
      }
    case "load-todo-read":
      return try measured { _ in
        let store = try TodoStore.openToRead(DatabaseLocation(path: path))
        _ = try store?.statistics()
        try store?.close()
      }
    default: throw DatabaseError(code: .misuse, message: "there is no work \(work)")
    }
  }

  private struct Lost: Error {
    var writer: Int
  }

  private func measured(_ body: (Int) throws -> Void) throws -> String {
    let clock = ContinuousClock()
    let start = clock.now
    var lines = ""
    var count = 0
    while clock.now - start < duration {
      count += 1
      let time = try clock.measure { try body(count) }
      lines += "\(time.components.seconds * 1_000_000 + time.components.attoseconds / 1_000_000_000_000)\n"
    }
    return lines
  }
}
