import DataSourcesTestSupport
import FetchedResults
import Foundation
import TestSupport

/// How long the oracle runs: 10,000 comparisons in a usual run, `SOAK=n` about n of them, and `SEED=n` one database.
enum OracleRun {
  /// As many tests run side by side.
  static let lanes = 4
  /// How many comparisons the usual run makes at least.
  static let usual = 10_000

  /// How many comparisons are made in random schemas.
  static let schemaUsual = 4000
  static let schemaComparisons = max(schemaUsual, comparisons * 3 / 10)

  static let seed = Seeds.repeated
  static let comparisons = Seeds.soak.map { max(Int($0), usual) } ?? usual

  /// Whether it runs longer than before a commit.
  static let isLong = comparisons > usual || seed != nil

  /// The minutes after which a test is taken to hang.
  static let limit = comparisons > usual ? 180 : 10

  /// Whether every step is printed, as for a seed that is replayed.
  static var isVerbose: Bool { seed != nil }

  /// Has the seeds of running tests printed when the process crashes; a failure prints its own.
  static func note(_ seed: UInt64, lane: Int) {
    _ = isHandlerSet
    let text =
      "oracle: lane \(lane) was at SEED=\(seed)".padding(toLength: width - 1, withPad: " ", startingAt: 0) + "\n"
    for (index, byte) in text.utf8.enumerated() { notes[lane * width + index] = byte }
  }

  private static let width = 64
  // because each lane writes its own part, and the handler reads it when all is over
  nonisolated(unsafe) private static let notes: UnsafeMutablePointer<UInt8> = {
    let notes = UnsafeMutablePointer<UInt8>.allocate(capacity: lanes * width)
    notes.initialize(repeating: 32, count: lanes * width)
    return notes
  }()
  private static let isHandlerSet: Bool = {
    for number in [SIGILL, SIGTRAP, SIGSEGV, SIGABRT, SIGBUS] {
      signal(number) { number in
        write(2, OracleRun.notes, OracleRun.lanes * OracleRun.width)
        signal(number, SIG_DFL)
        raise(number)
      }
    }
    return true
  }()

  /// Whether SQLite itself has damaged a database, in which lists and queries may then differ.
  ///
  /// In SQLite 3.40, REPLACE in a table with a foreign key to itself that sets NULL leaves a row out of an index, and
  /// does not report all that it changes.
  static func isDamaged(_ database: Database, _ seed: UInt64) -> Bool {
    guard let damage = try? database.integrityCheck().first else { return false }
    print("oracle: SQLite has damaged database \(seed), which is left out: \(damage)")
    return true
  }

  static func hint(_ seed: UInt64) -> String { "replay with SEED=\(seed) Scripts/test --filter OracleTests" }
}

/// Values collected from several threads.
final class Shared<Content>: @unchecked Sendable {  // because every access is under `lock`
  private let lock = NSLock()
  private var content: Content

  init(_ content: Content) { self.content = content }

  var value: Content { lock.withLock { content } }

  func change<T>(_ body: (inout Content) -> T) -> T { lock.withLock { body(&content) } }

  func take(leaving rest: Content) -> Content {
    lock.withLock {
      defer { content = rest }
      return content
    }
  }
}
