import DataSourcesTestSupport
import FixtureSupport
import Foundation
import SQLiteStore
import TestSupport
import Testing

/// Files that are moved away, brought back and replaced while they are open, beside another program.
@Suite(.serialized, .timeLimit(.minutes(5))) struct ReplacedFileTests {
  enum Use: CaseIterable { case nothing, write, read, backup, look, checkpoint }

  /// Programs that have opened the new file share the log that was beside the old one. A connection of this process
  /// would share locks with the lost one, so they are another process.
  @Test(arguments: Use.allCases, [true, false])
  func `closing leaves the commits of those who use the file in its place`(_ use: Use, isObserved: Bool) throws {
    let folder = try TemporaryFolder.make()
    let path = folder + "/test.db"
    func database(_ path: String) throws -> Database { try Database(path: path, options: Self.options(.wal)) }
    var old: Database? = try database(path)
    try old?.write { try $0.execute("CREATE TABLE t(x)") }
    try old?.checkpoint()
    let observation = isObserved ? old?.observe(["t"]) { _ in } : nil
    let new = try database(path + ".new")
    try new.write { _ = try $0.executeScript("CREATE TABLE t(x); INSERT INTO t VALUES ('another file')") }
    try new.close()
    try #require(rename(path + ".new", path) == 0)
    Self.pass()
    let other = try Program("TrustWorker").conversation(["sql", path, "0"])
    for sql in [
      "PRAGMA wal_autocheckpoint = 0", "INSERT INTO t VALUES ('new 1')", "INSERT INTO t VALUES ('new 2')",
    ] { try other.send(sql) }
    switch use {
    case .nothing: break
    case .write: _ = try? old?.write { _ = try $0.execute("INSERT INTO t VALUES ('lost')") }
    case .read: _ = try? old?.read { try $0.values("SELECT x FROM t", as: String.self) }
    case .backup: _ = try? old?.backup(to: folder + "/saved.db")
    case .look: _ = try? old?.catchUp()
    case .checkpoint: _ = try? old?.checkpoint()
    }
    try old?.close()
    observation?.cancel()
    old = nil
    try other.send("INSERT INTO t VALUES ('new 3')")
    try other.end()
    let after = try database(path)
    #expect(
      try after.read { try $0.values("SELECT x FROM t", as: String.self) }
        == ["another file", "new 1", "new 2", "new 3"])
    #expect(try after.integrityCheck().isEmpty)
  }

  @Test func `whatever is moved, each file keeps exactly what was written to it`() throws {
    for seed in Seeds.range(30) {
      do {
        var world = try World(seed)
        for _ in 0..<30 { try world.step() }
        try world.end()
      } catch {
        Issue.record("\(error); \(Seeds.hint(seed))")
        return
      }
    }
  }

  fileprivate static func options(_ journal: Database.Options.Journal) -> Database.Options {
    var options = Database.Options()
    options.durability = .normal
    options.journal = journal
    return options
  }

  /// Lets the time pass in which a file still counts as seen.
  fileprivate static func pass() { usleep(3000) }

  /// Two database files that take turns at one path, a database of this process that has one of them open, and another
  /// program that writes to the one at the path.
  ///
  /// Whoever moves a file moves its log along, as a well-behaved program does.
  private struct World {
    private var random: SeededGenerator
    private let folder: String
    private let journal: Database.Options.Journal
    private var path: String { folder + "/test.db" }
    /// What each file holds.
    private var contents: [[String]] = [[], []]
    /// Which file is at the path.
    private var place: Int? = 0
    /// The file to which a link at the path leads. Other programs may use it there.
    private var linked: Int?
    private var database: Database?
    /// The file that the database has open.
    private var opened = 0
    private var observation: ObservationToken?
    private var peer: Program.Conversation?
    private var written = 0
    private var steps: [String] = []

    init(_ seed: UInt64) throws {
      random = SeededGenerator(seed: seed)
      folder = try TemporaryFolder.make()
      journal = random.once(in: 4) ? .delete : .wal
      for file in 0...1 {
        let database = try Database(path: away(file), options: ReplacedFileTests.options(journal))
        // Of different sizes: a reader that takes one file for the other is damaged.
        try database.write {
          _ = try $0.executeScript(
            "CREATE TABLE t(x); CREATE TABLE filling(x); INSERT INTO filling VALUES (zeroblob(\(file * 30_000)))")
        }
        try database.close()
      }
      try move(from: away(0), to: path)
    }

    private func away(_ file: Int) -> String { folder + "/away\(file).db" }

    private func move(from old: String, to new: String) throws {
      for suffix in ["", "-wal", "-shm", "-journal"] where access(old + suffix, F_OK) == 0 {
        try demand(rename(old + suffix, new + suffix) == 0, "\(old + suffix) can't be renamed")
      }
      ReplacedFileTests.pass()
    }

    mutating func step() throws {
      switch random.below(12) {
      case 0, 1: try moveFile()
      case 2, 3: try usePeer()
      case 4: try reopen()
      case 5, 6, 7: try write()
      case 8:
        try check("read") { database in
          try database.read { try $0.values("SELECT x FROM t ORDER BY rowid", as: String.self) }
        }
      case 9:
        try check("checkpoint") { database in
          try database.checkpoint()
          return nil
        }
      case 10:
        let copy = folder + "/saved.db"
        try check("backup") { database in
          try database.backup(to: copy)
          defer { for suffix in ["", "-wal", "-shm"] { unlink(copy + suffix) } }
          return try RawDatabase(path: copy).strings("SELECT x FROM t ORDER BY rowid").map { $0[0] }
        }
      default:
        try check("vacuum") { database in
          try database.vacuum()
          return nil
        }
      }
    }

    private mutating func moveFile() throws {
      try endPeer()
      steps.append("move \(place.map(String.init) ?? "nothing") away")
      let former = place
      if let former { try move(from: path, to: away(former)) }
      if linked != nil { try demand(unlink(path) == 0, "the link can't be removed") }
      linked = nil
      if let former, random.once(in: 3) {
        steps.append("link to \(former)")
        try demand(symlink(away(former), path) == 0, "no link can be made")
        (place, linked) = (nil, former)
        return ReplacedFileTests.pass()
      }
      place = random.maybe([0, 1])
      if let place { try move(from: away(place), to: path) }
      steps.append("\(place.map(String.init) ?? "nothing") is there")
    }

    private mutating func next() -> String {
      written += 1
      return "row \(written)"
    }

    private mutating func usePeer() throws {
      guard let place = place ?? linked else { return }
      steps.append("peer writes row \(written + 1)")
      let peer = try self.peer ?? Program("TrustWorker").conversation(["sql", path, "0"])
      self.peer = peer
      let row = next()
      try peer.send("INSERT INTO t VALUES ('\(row)')")
      contents[place].append(row)
      let read = try peer.send("SELECT x FROM t ORDER BY rowid")
      try demand(read == contents[place], "the other program read \(read), not \(contents[place]) after \(steps)")
      if random.once(in: 3) { try endPeer() }
    }

    private mutating func endPeer() throws {
      if peer != nil { steps.append("peer ends") }
      try peer?.end()
      peer = nil
    }

    private mutating func reopen() throws {
      steps.append("close")
      observation?.cancel()
      observation = nil
      try database?.close()
      database = nil
      guard let place else { return }
      steps.append("open \(place), \(journal)")
      database = try Database(path: path, options: ReplacedFileTests.options(journal))
      opened = place
      observation = random.once(in: 2) ? database?.observe(["t"]) { _ in } : nil
    }

    private mutating func write() throws {
      if database == nil { return }
      let row = next()
      steps.append(row)
      try check("write") { database in
        try database.write { _ = try $0.execute("INSERT INTO t VALUES (\(row))") }
        return nil
      }
      if place == opened { contents[opened].append(row) }
    }

    /// Uses the database, which must fail if its file is not at the path, and must otherwise read what is expected.
    private mutating func check(_ name: String, _ use: (Database) throws -> [String]?) throws {
      guard let database else { return }
      steps.append(name)
      do {
        let rows = try use(database)
        try demand(place == opened, "\(name) succeeded with a lost file after \(steps)")
        try demand(rows == nil || rows == contents[opened], "\(name): \(rows ?? []) after \(steps)")
      } catch let error as DatabaseError {
        try demand(
          place != opened && error.extendedCode == .readOnlyFileMoved && error.message.contains(path),
          "\(name): \(error) after \(steps)")
      }
    }

    mutating func end() throws {
      try endPeer()
      observation?.cancel()
      try database?.close()
      for file in 0...1 {
        let raw = try RawDatabase(path: file == place ? path : away(file))
        let rows = try raw.strings("SELECT x FROM t ORDER BY rowid").map { $0[0] }
        try demand(rows == contents[file], "file \(file) holds \(rows), not \(contents[file]) after \(steps)")
        try demand(try raw.strings("PRAGMA integrity_check") == [["ok"]], "file \(file) is damaged after \(steps)")
      }
      try FileManager.default.removeItem(atPath: folder)
    }
  }
}
