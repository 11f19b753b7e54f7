import DataSourcesTestSupport
import FixtureSupport
import Foundation
import SQLiteStore
import TestSupport
import Testing
import TodoCore
import TrustSupport

/// Power is cut at random moments, and the disk has what was synced and any part of the rest.
@Suite(.serialized, .timeLimit(.minutes(30))) struct PowerLossTests {
  typealias Options = Database.Options

  @Test(arguments: [Options.Journal.wal, .delete])
  func `with full durability no acknowledged commit is lost`(journal: Options.Journal) throws {
    try Self.cut(journal, .full)
  }

  @Test(arguments: [Options.Journal.wal, .delete])
  func `with normal durability the database is whole`(journal: Options.Journal) throws {
    try Self.cut(journal, .normal)
  }

  private static func cut(_ journal: Options.Journal, _ durability: Options.Durability) throws {
    let seeds = Seeds.repeated.map { $0...$0 }
    let rounds = Trials.rounds(sample: 25, short: 150, full: 1000)
    var done = 0
    var wrong = 0
    for seed in seeds ?? 1...UInt64(rounds) where wrong < 5 {
      do {
        try round(seed, journal, durability)
        done += 1
      } catch {
        wrong += 1
        Issue.record("\(journal), \(durability), SEED=\(seed): \(error)")
      }
    }
    Trials.report("trust.powerloss_rounds", done)
  }

  private static func round(_ seed: UInt64, _ journal: Options.Journal, _ durability: Options.Durability) throws {
    var chance = SeededGenerator(seed: seed)
    let files = try FaultyFiles()
    let folder = try TemporaryFolder.make()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let path = folder + "/batches.db"
    var acknowledged = 0
    // The disk that is left is started with again, so that more than one loss meets the same file.
    for _ in 0..<(1 + chance.below(3)) {
      files.losePower(at: Int64(1 + chance.below(chance.below(4) == 0 ? 40 : 250)))
      let begun = acknowledged
      // The loss is what ends it.
      _ = try? write(path, files.options(journal, durability), &chance, &acknowledged)
      files.restore(seed: chance.next())
      let found = try Batches.check(path)
      if durability == .full {
        try demand(found >= acknowledged, "acknowledged \(acknowledged), found \(found)")
      } else {
        // Only the tail may go: what was there at the start has been on the disk.
        try demand(found >= begun, "begun with \(begun), found \(found)")
      }
      try demand(found <= acknowledged + 1, "acknowledged \(acknowledged), found \(found)")
      acknowledged = found
    }
  }

  private static func write(
    _ path: String, _ options: Options, _ chance: inout SeededGenerator, _ acknowledged: inout Int
  ) throws {
    let database = try Database(path: path, options: options)
    try database.migrate(Batches.migrations)
    for _ in 0..<60 {
      let number = acknowledged + 1
      let size = chance.below(chance.below(8) == 0 ? 20_000 : 600)
      let count = 1 + chance.below(6)
      let removed = chance.below(4) == 0 ? chance.below(number) : 0
      try database.write { try Batches.write(number, rows: count, bytes: size, removing: removed, $0) }
      acknowledged = number
      if chance.below(12) == 0 { try database.checkpoint() }
      if chance.below(40) == 0 { try database.vacuum() }
    }
  }

  /// Commands of the to-do program, which open the file, change it and end: a commit is synced when the log is moved.
  @Test func `what a command has said is on the disk`() throws {
    let seeds = Seeds.repeated.map { $0...$0 }
    let rounds = Trials.rounds(sample: 40, short: 150, full: 1000)
    var done = 0
    for seed in seeds ?? 1...UInt64(rounds) {
      do {
        try Self.commands(seed)
        done += 1
      } catch {
        Issue.record("SEED=\(seed): \(error)")
        break
      }
    }
    Trials.report("trust.powerloss_rounds", done)
  }

  @Test func `a command that has the list for itself syncs its log once and its file once`() throws {
    let files = try FaultyFiles()
    let folder = try TemporaryFolder.make()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let location = DatabaseLocation(path: folder + "/todo.db")
    try TodoStore.open(location).close()
    for isAlone in [true, false] {
      let other = isAlone ? nil : try TodoStore.open(location, files.options(.wal))
      let store = try TodoStore.openForCommand(location, files.options(.wal))
      files.count(.sync)
      _ = try store.add(ItemDraft(title: "a"))
      // Alone, nothing is synced before the log is moved; otherwise the log's new header is.
      #expect(files.calls == (isAlone ? 0 : 1))
      try store.settle()
      #expect(files.calls == (isAlone ? 2 : 3))
      // A later write of the same command begins the log again, and its header is synced.
      files.count(.sync)
      _ = try store.add(ItemDraft(title: "b"))
      #expect(files.calls == 1)
      try store.settle()
      #expect(files.calls == 3)
      store.finish()
      try other?.close()
    }
  }

  private static func commands(_ seed: UInt64) throws {
    var chance = SeededGenerator(seed: seed)
    let files = try FaultyFiles()
    let folder = try TemporaryFolder.make()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let location = DatabaseLocation(path: folder + "/todo.db")
    // The database is made before, as the migrations alone are some hundred calls.
    try TodoStore.open(location).close()
    var said = 0
    for _ in 0..<(2 + chance.below(3)) {
      files.losePower(at: Int64(1 + chance.below(chance.below(3) == 0 ? 20 : 150)))
      let begun = said
      do {
        // Another connection prevents the log from being moved, or from being removed.
        let other = chance.below(3) == 0 ? try TodoStore.open(location, files.options(.wal)) : nil
        let isReading = chance.below(2) == 0
        func commands() throws {
          for _ in 0..<6 {
            let store = try TodoStore.openForCommand(location, files.options(.wal))
            if chance.below(4) == 0 {
              // Another program writes to the log that this command has created, and may empty it.
              let late = try TodoStore.open(location, files.options(.wal))
              for _ in 0..<(1 + chance.below(3)) {
                _ = try late.add(ItemDraft(title: "\(said + 1)"))
                said += 1
              }
              if chance.below(2) == 0 { try late.settle() }
              try late.close()
            }
            let size = chance.below(5) == 0 ? 30_000 : 10
            _ = try store.add(ItemDraft(title: "\(said + 1)", notes: [String(repeating: "x", count: size)]))
            try store.settle()
            said += 1
            // What the end of a command brings to the disk has come too late.
            if chance.below(6) == 0 { files.losePowerNow() }
            store.finish()
          }
        }
        if isReading, let other {
          try other.database.read {
            _ = try $0.value("SELECT count(*) FROM item", as: Int.self); try commands()
          }
        } else {
          try commands()
        }
        try other?.close()
      } catch {
        // The loss is what ends it.
      }
      files.restore(seed: chance.next())
      let raw = try RawDatabase.whole(location.path)
      let found = try raw.integer("SELECT count(*) FROM item")
      try demand(found >= said && found <= said + 1, "begun with \(begun), said \(said), found \(found)")
      said = found
    }
  }
}
