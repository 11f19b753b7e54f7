import FetchedResultsSupport
import SQLiteStore

private struct Document: MappedEntity {
  static let table = "document"
  static let mapping = Mapping(Document.init, ("id", \.id), ("body", \.body))
  var id: Int64
  var body: String
}

/// In a process of its own, in which no memory has been freed that could be reused.
func memoryAfterLargeText(_ context: BenchContext) throws -> Figure {
  let folder = try TemporaryFolder()
  var round = 0
  let median = try context.median {
    round += 1
    let run = try Todo.run(
      ["--memory-after-large-text", folder.path("large-\(round).db")], program: CommandLine.arguments[0])
    guard let megabytes = Double(run.text.filter { $0 != "\n" }) else { throw WrongResult("no number: \(run.text)") }
    return megabytes
  }
  return Figure(value: median, unit: "MB")
}

/// Writes and reads one text of 300 MB, and prints by how many megabytes the process has grown.
func printMemoryAfterLargeText(_ path: String) throws {
  var options = Database.Options()
  options.durability = .normal
  let database = try Database(path: path, options: options)
  try database.write { try $0.execute("CREATE TABLE document(id INTEGER PRIMARY KEY, body TEXT NOT NULL)") }
  let commits = Counter()
  let observation = database.observe(["document"]) { _ in commits.add(1) }
  defer { observation.cancel() }
  // First allocate everything that any program needs that writes and reads.
  try writeAndRead("a short text", id: 1, database)
  let before = try residentMegabytes()
  try writeAndRead(String(repeating: "0123456789", count: 30_000_000), id: 2, database)
  try database.catchUp()
  guard commits.value > 0 else { throw WrongResult("the observer was not called") }
  Output.standardOutput("\(Output.number(max(0, try residentMegabytes() - before)))\n")
}

private func writeAndRead(_ text: String, id: Int64, _ database: Database) throws {
  try database.write { connection in
    try connection.insert(Document(id: id, body: text))
    try connection.upsert(Document(id: id, body: text))
    try connection.execute("UPDATE document SET body = \(text) WHERE id = \(id)")
  }
  guard try database.read({ try $0.entity(Document.self, id: id) })?.body == text else {
    throw WrongResult("an entity: another text")
  }
  let row = try database.read { try $0.row("SELECT body, body = \(text) FROM document WHERE id = \(id)") }
  guard let row, try row[0] as String == text, try row[1] else { throw WrongResult("a row: another text") }
}

/// The resident memory of this process. Only Linux has it in a file.
private func residentMegabytes() throws -> Double {
  guard let file = fopen("/proc/self/statm", "r") else { throw WrongResult("this system has no /proc/self/statm") }
  defer { fclose(file) }
  var line = [CChar](repeating: 0, count: 128)
  guard fgets(&line, Int32(line.count), file) != nil else { throw WrongResult("statm is empty") }
  let words = line.prefix { $0 != 0 }.split(separator: 0x20).map {
    String(decoding: $0.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }
  guard words.count > 1, let pages = Double(words[1]) else { throw WrongResult("statm says \(words)") }
  return pages * Double(sysconf(Int32(_SC_PAGESIZE))) / 1_000_000
}
