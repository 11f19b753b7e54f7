import FixtureSupport
import Foundation
import Testing

/// How much is tried, and where the figures go.
enum Trials {
  private static let amount = ProcessInfo.processInfo.environment["TRUST"] ?? "sample"

  /// How many rounds there are: in every run of the tests, in the short soak, and in the long one.
  static func rounds(sample: Int, short: Int, full: Int) -> Int {
    switch amount {
    case "full": full
    case "short": short
    default: sample
    }
  }

  /// Where the tested points begin if not all of them are tested: TRUST_OFFSET=n tests others than each run of the
  /// tests does.
  static let offset = ProcessInfo.processInfo.environment["TRUST_OFFSET"].flatMap { Int($0) } ?? 0

  /// Which of several equal parts of the points is tested, for several processes in parallel: TRUST_PART=1/2 and
  /// TRUST_PART=2/2.
  static let part: (number: Int, of: Int) = {
    let words = ProcessInfo.processInfo.environment["TRUST_PART"]?.split(separator: "/").compactMap { Int($0) } ?? []
    return words.count == 2 && words[1] > 0 ? (words[0] - 1, words[1]) : (0, 1)
  }()

  /// Whether nothing else runs in this process, as Scripts/soak says: only then what it takes up is the trial's own.
  static let isAlone = ProcessInfo.processInfo.environment["TRUST_ALONE"] != nil

  /// Adds to a figure of the soak: a line in the file that it asks for.
  static func report(_ name: String, _ count: Int) {
    guard let path = ProcessInfo.processInfo.environment["TRUST_FIGURES"], let file = fopen(path, "a") else { return }
    fputs("\(name) \(count)\n", file)
    fclose(file)
  }
}

extension Trials {
  /// Adds the figures for durations, in microseconds. Report each name once in a run, because figures with the same
  /// name are added up.
  static func report(_ name: String, microseconds: [Int]) {
    let sorted = microseconds.sorted()
    guard let last = sorted.last else { return }
    for (percentile, part) in [("p50", 50), ("p99", 99)] {
      report("\(name)_us_\(percentile)", sorted[min(sorted.count - 1, sorted.count * part / 100)])
    }
    report("\(name)_us_max", last)
  }
}

/// What a trial found to be wrong.
struct Broken: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}

/// Fails unless something holds.
func demand(_ condition: Bool, _ what: @autoclosure () -> String) throws {
  if !condition { throw Broken(what()) }
}

extension RawDatabase {
  /// Opens a database as any other program would, and looks whether it is whole.
  static func whole(_ path: String) throws -> RawDatabase {
    let raw = try RawDatabase(path: path)
    let problems = try raw.strings("PRAGMA integrity_check").map { $0[0] }
    try demand(problems == ["ok"], "\(path): \(problems.prefix(5))")
    return raw
  }

  func integer(_ sql: String) throws -> Int { try strings(sql).first.flatMap { Int($0[0]) } ?? 0 }
}
