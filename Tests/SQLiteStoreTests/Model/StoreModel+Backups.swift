import FixtureSupport
import Foundation
import SQLiteStore

// Backups and what is restored from them.
extension StoreModel {
  func backUp() throws {
    switch dice.below(5) {
    case 0...1: try backUpAnew()
    case 2: try backUpOntoStore()
    case 3: try backUpOntoHandle()
    default: try backUpOntoItself()
    }
  }

  /// To a name where nothing is, or where the last backup is.
  private func backUpAnew() throws {
    let path = scratch.path("saved.db")
    let isThere = FileManager.default.fileExists(atPath: path)
    let replacing = dice.once(in: 2) || isThere && dice.once(in: 3)
    note("back up, replacing \(replacing)")
    let isMade = try compare(
      { _ in try self.database.backup(to: path, replacing: replacing, pagesPerStep: 3) },
      { _ in
        if isThere, !replacing {
          throw ModelFailure(code: ResultCode.cantOpen.rawValue, message: "of that name already")
        }
      })
    if isMade {
      let copy = try PlainStore(scratch)
      try copy.become(plain)
      saved = (copy, migrations)
    }
    try compareSaved()
  }

  private func compareSaved() throws {
    guard let saved else { return }
    let copy = try Database(path: scratch.path("saved.db"), options: .fast.with { $0.journal = .delete })
    try expect(try StoreModel.content(of: copy) == plainContent(attached: false, of: saved.plain), "the backup differs")
    try copy.close()
  }

  /// Onto a file that a database of the store has open, with an empty log.
  private func backUpOntoStore() throws {
    note("back up onto an open database")
    let path = scratch.path("open\(count).db")
    let other = try Database(path: path, options: .fast)
    try other.write { try $0.executeScript("CREATE TABLE mine(x); INSERT INTO mine VALUES (1)") }
    try other.checkpoint()
    try expectRefusal(path)
    try other.write { try $0.execute("INSERT INTO mine VALUES (2)") }
    try expect(
      try other.read { try $0.values("SELECT x FROM mine", as: Int.self) } == [1, 2]
        && other.integrityCheck().isEmpty, "the open database is damaged")
    try other.close()
    try database.backup(to: path, replacing: true)
    let copy = try Database(path: path, options: .fast)
    try expect(try StoreModel.content(of: copy) == plainContent(attached: false), "the backup differs")
    try copy.close()
  }

  /// Onto a file that a plain connection has open, with an empty log.
  private func backUpOntoHandle() throws {
    note("back up onto an open handle")
    let path = scratch.path("raw\(count).db")
    try Database(path: path, options: .fast).close()
    let raw = try RawDatabase(path: path)
    try raw.execute("CREATE TABLE mine(x); INSERT INTO mine VALUES (1); PRAGMA wal_checkpoint(TRUNCATE)")
    try expectRefusal(path)
    try raw.execute("INSERT INTO mine VALUES (2)")
    try expect(
      try raw.strings("SELECT x FROM mine") == [["1"], ["2"]] && raw.strings("PRAGMA integrity_check") == [["ok"]],
      "the open database is damaged")
  }

  private func backUpOntoItself() throws {
    guard isFile else { return }
    note("back up onto itself")
    try expectRefusal(scratch.path())
  }

  private func expectRefusal(_ path: String) throws {
    try compare(
      { _ in try self.database.backup(to: path, replacing: true) },
      { _ in throw ModelFailure(code: ResultCode.cantOpen.rawValue, message: "the backup \(path) can't be written") })
  }

  /// Restores the last backup: refused while the log of the database is in use, and then when it is closed.
  func restore() throws {
    guard let saved else { return }
    note("restore")
    let source = try Database(path: scratch.path("saved.db"), options: .fast.with { $0.journal = .delete })
    if options.journal == .wal {
      try compare(
        { _ in try source.backup(to: self.scratch.path(), replacing: true) },
        { _ in throw ModelFailure(code: ResultCode.cantOpen.rawValue, message: "in use") })
    }
    observation = nil
    try database.close()
    try source.backup(to: scratch.path(), replacing: true)
    try source.close()
    try plain.become(saved.plain)
    migrations = saved.migrations
    try reopen { _ in }
  }

  static func content(of database: Database) throws -> [[RawDatabase.Value]] {
    try database.read { c in try content(attached: false) { try StoreSide(connection: c).rows($0, []) } }
  }
}
