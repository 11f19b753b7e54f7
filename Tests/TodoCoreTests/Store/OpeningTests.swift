import FixtureSupport
import Foundation
import SQLiteStore
import Testing
import TodoCore

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

@Suite struct OpeningTests {
  private func exitCode(_ body: () throws -> Void) -> Int32 {
    do {
      try body()
      return 0
    } catch {
      return (error as? TodoError)?.exitCode ?? -1
    }
  }

  @Test func `reading what is not there makes nothing`() throws {
    let folder = try TemporaryFolder.make()
    #expect(try TodoStore.openToRead(DatabaseLocation(path: folder + "/todo.db")) == nil)
    #expect(access(folder + "/todo.db", F_OK) != 0)
    let missing = DatabaseLocation(path: folder + "/no/todo.db")
    #expect(exitCode { _ = try TodoStore.openToRead(missing) } == 74)
    #expect(exitCode { _ = try TodoStore.open(missing) } == 74)
    let xdg = try DatabaseLocation.find(flag: nil) { $0 == "XDG_DATA_HOME" ? folder + "/x" : nil }
    #expect(xdg.path == folder + "/x/todo/todo.db")
    #expect(try TodoStore.openToRead(xdg) == nil)
    #expect(access(folder + "/x", F_OK) != 0)
    _ = try TodoStore.open(xdg)
    var status = stat()
    #expect(stat(xdg.path, &status) == 0 && status.st_mode & 0o777 == 0o600)
    #expect(stat(folder + "/x/todo", &status) == 0 && status.st_mode & 0o777 == 0o700)
  }

  @Test func `the flag takes precedence over the environment`() throws {
    func path(_ flag: String?, _ environment: [String: String]) throws -> String {
      try DatabaseLocation.find(flag: flag) { environment[$0] }.path
    }
    let all = ["TODO_DB": "e.db", "XDG_DATA_HOME": "/x", "HOME": "/h"]
    #expect(try path("f.db", all) == "f.db")
    #expect(try path(nil, all) == "e.db")
    #expect(try path(nil, ["XDG_DATA_HOME": "/x/", "HOME": "/h"]) == "/x/todo/todo.db")
    #expect(try path(nil, ["XDG_DATA_HOME": "x", "HOME": "/h"]) == "/h/.local/share/todo/todo.db")
    #expect(throws: TodoError.self) { try path("", all) }
  }

  @Test func `the unfinished change of a killed program is rolled back`() throws {
    let test = try TestStore()
    try test.add("kept")
    try test.store.close()
    let raw = try RawDatabase(path: test.path)
    // With hardly any memory for pages, uncommitted changes are already in the file.
    try raw.execute("PRAGMA journal_mode = DELETE; PRAGMA cache_size = 2; CREATE TABLE large(x); BEGIN")
    for _ in 0..<300 { try raw.execute("INSERT INTO large VALUES (randomblob(3000))") }
    try raw.execute("UPDATE item SET title = 'half done'")
    for purpose in ["read", "write"] {
      let copy = DatabaseLocation(path: test.path + "." + purpose)
      for suffix in ["", "-journal"] {
        try FileManager.default.copyItem(atPath: test.path + suffix, toPath: copy.path + suffix)
      }
      let store = try purpose == "read" ? TodoStore.openToRead(copy) : TodoStore.open(copy)
      #expect(try store?.item(1).title == "kept")
      #expect(try store?.doctor().allSatisfy(\.isWell) == true)
    }
  }

  @Test(arguments: [Fixture.notADatabase, .truncated, .todoNewer, .todoBeforeFirstRelease, .related])
  func `bad files are refused and left alone`(
    fixture: Fixture
  ) throws {
    let path = try Fixture.copy(fixture)
    let before = try Bytes.of(path)
    #expect(exitCode { _ = try TodoStore.openToRead(DatabaseLocation(path: path)) } == 65)
    #expect(try Bytes.of(path) == before)
    #expect(exitCode { _ = try TodoStore.open(DatabaseLocation(path: path)) } == 65)
    #expect(try RawDatabase.isNoTodo(path))
  }

  @Test func `a folder is no database`() throws {
    let folder = try TemporaryFolder.make()
    #expect(exitCode { _ = try TodoStore.open(DatabaseLocation(path: folder)) } == 74)
    #expect(exitCode { _ = try TodoStore.openToRead(DatabaseLocation(path: folder)) } == 74)
  }

  @Test(arguments: ["-wal", "-shm", "-journal"]) func `a name that SQLite uses for a part of a database is refused`(
    suffix: String
  ) throws {
    let test = try TestStore()
    let error = #expect(throws: TodoError.self) {
      try DatabaseLocation.find(flag: "/tmp/no such file\(suffix)") { _ in nil }
    }
    #expect(error?.message.contains("choose another name") == true)
    #expect(throws: TodoError.self) { try test.store.backup(to: test.path + "2" + suffix) }
  }

  @Test func `an older file is brought up to date also to be read`() throws {
    let path = try Fixture.copy(.todoOlder)
    let store = try #require(try TodoStore.openToRead(DatabaseLocation(path: path)))
    #expect(try store.items(Selection(1)).map(\.id) == [1])
    #expect(try store.doctor().filter { !$0.isWell } == [])
  }

  @Test func `a database in UTF-16 is refused and stays as it is`() throws {
    let path = try TemporaryFolder.make() + "/todo.db"
    #expect(FileManager.default.createFile(atPath: path, contents: nil))
    let raw = try RawDatabase(path: path)
    try raw.execute("PRAGMA encoding = 'UTF-16'; CREATE TABLE any(x); DROP TABLE any")
    let before = try Bytes.of(path)
    for _ in 0..<2 {
      do {
        _ = try TodoStore.open(DatabaseLocation(path: path))
        Issue.record("it was opened")
      } catch {
        #expect(error.message.contains("a database of another program"), "\(error)")
      }
    }
    #expect(try Bytes.of(path) == before)
  }

  @Test func `an empty file is an empty database`() throws {
    let path = try Fixture.copy(.empty)
    #expect(try TodoStore.openToRead(DatabaseLocation(path: path)) == nil)
    #expect(try Bytes.of(path).isEmpty)
    let test = try TestStore(path: path)
    try test.add("a")
  }

  @Test func `reading writes nothing`() throws {
    let path = try Fixture.copy(.todoSample)
    let before = try Bytes.of(path)
    let store = try #require(try TodoStore.openToRead(DatabaseLocation(path: path)))
    var lines = Lines()
    try store.list(ListQuery(), into: &lines)
    #expect(lines.lines == ["Errands: Groceries, Post Office", "Career: Presentation, Multiple Selections"])
    #expect(exitCode { _ = try store.add(ItemDraft(title: "x")) } == 74)
    try store.close()
    #expect(try Bytes.of(path) == before)
  }

  @Test func `a writer that is held up for too long is busy`() throws {
    #expect(TodoError(DatabaseError(code: .busy, message: "x")).exitCode == 75)
    #expect(TodoError(DatabaseError(code: .full, message: "x")).exitCode == 74)
    #expect(TodoError(DatabaseError(code: .corrupt, message: "x")).exitCode == 65)
  }

  @Test func `a backup is a copy and never replaces`() throws {
    let test = try TestStore()
    try test.add("a")
    let copy = test.path + ".copy"
    try test.store.backup(to: copy)
    #expect(try TestStore(path: copy).list() == ["Inbox: a"])
    #expect(exitCode { try test.store.backup(to: copy) } == 4)
    #expect(exitCode { try test.store.backup(to: test.path) } == 4)
    #expect(exitCode { try test.store.backup(to: test.path + "/no/copy") } == 74)
  }

  @Test func `the doctor finds what is wrong`() throws {
    let test = try TestStore()
    try test.add(arguments: "a", "@x")
    #expect(try test.store.doctor().allSatisfy(\.isWell))
    chmod(test.path, 0o644)
    let raw = try RawDatabase(path: test.path)
    try raw.execute("DROP INDEX item_open_by_due; UPDATE item SET notes = '[1}]'")
    try raw.execute("INSERT INTO item_search(rowid, title, notes) VALUES (99, 'x', '')")
    #expect(
      try test.store.doctor().filter { !$0.isWell }.map(\.subject) == ["schema", "items", "search", "permissions"])
  }

  @Test func `the doctor names items that cannot be read`() throws {
    let test = try TestStore()
    try test.add(arguments: "a", "@x")
    try test.add(arguments: "b")
    try test.add(arguments: "c")
    let raw = try RawDatabase(path: test.path)
    try raw.execute("UPDATE item SET notes = '[1}]' WHERE id = 1; UPDATE item SET extra = '{]}' WHERE id = 2")
    #expect(exitCode { _ = try test.store.items(Selection(1)) } == 65)
    let problems = try test.store.doctor().first { $0.subject == "items" }?.problems ?? []
    #expect(problems.count == 2 && zip(problems, 1...2).allSatisfy { $0.hasPrefix("item \($1) can't be read") })
    #expect(problems.allSatisfy { $0.contains("JSON") && $0.contains("todo restore FILE") }, "\(problems)")
  }

  @Test func `statistics count what there is`() throws {
    let test = try TestStore()
    try test.add(arguments: "a", "+L", "@x", "!high", "due:yesterday")
    try test.add(arguments: "b", "due:today")
    try test.add(arguments: "c", "@x")
    try test.add(arguments: "d")
    _ = try test.store.done(Selection(3, 4))
    _ = try test.store.archive(Selection(4))
    _ = try test.store.start(Selection(1))
    let statistics = try test.store.statistics()
    #expect(statistics.open == 2 && statistics.done == 1 && statistics.archived == 1 && statistics.started == 1)
    #expect(statistics.overdue == 1 && statistics.dueToday == 1)
    #expect(statistics.doneInSevenDays == 2 && statistics.addedInSevenDays == 4)
    func counts(_ counts: [TodoStatistics.Count]) -> [String] { counts.map { "\($0.name) \($0.open) \($0.done)" } }
    #expect(counts(statistics.lists) == ["L 1 0", "Inbox 1 1"])
    #expect(counts(statistics.priorities) == ["high 1 0", "no priority 1 1"])
    #expect(counts(statistics.tags) == ["x 1 1", "untagged 1 0"])
  }
}

extension Bytes {
  /// The bytes of a file.
  static func of(_ path: String) throws -> [UInt8] {
    let file = try #require(fopen(path, "rb"))
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while case let count = fread(&buffer, 1, buffer.count, file), count > 0 { bytes += buffer[..<count] }
    return bytes
  }
}

extension RawDatabase {
  /// Whether nothing of ours was made in a file, or it can't be read at all.
  static func isNoTodo(_ path: String) throws -> Bool {
    do {
      let tables = try RawDatabase(path: path, readOnly: true).strings("SELECT name FROM sqlite_schema")
      return !tables.contains(["frc_history"])
    } catch is RawDatabase.Failure {
      return true
    }
  }
}
