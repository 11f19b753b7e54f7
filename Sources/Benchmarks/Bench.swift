import FetchedResultsSupport

/// One measurement. `body` checks its result for correctness before it returns a figure.
struct Benchmark {
  /// The figure's name, such as `list.edit_us_1m`.
  let name: String
  /// What the figure compares, in one line.
  let about: String
  /// Runs the measurement.
  let body: (BenchContext) throws -> Figure

  init(_ name: String, _ about: String, body: @escaping (BenchContext) throws -> Figure) {
    self.name = name
    self.about = about
    self.body = body
  }
}

/// A measured value: a ratio against a baseline in the same run, or a quantity with its unit.
struct Figure {
  var value: Double
  var unit: String

  static func ratio(_ value: Double) -> Figure { Figure(value: value, unit: "ratio") }
  static func microseconds(_ value: Double) -> Figure { Figure(value: value, unit: "us") }
  static func milliseconds(_ value: Double) -> Figure { Figure(value: value, unit: "ms") }
  static func nanoseconds(_ value: Double) -> Figure { Figure(value: value, unit: "ns") }
  static func bytes(_ value: Double) -> Figure { Figure(value: value, unit: "bytes") }
}

/// A result that a benchmark found to be wrong; its figure is not printed.
struct WrongResult: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}

/// The settings of a measurement.
struct BenchContext {
  /// How many interleaved rounds to take the median of.
  let rounds: Int

  /// The median over the rounds of the ratio of `subject`'s time to `baseline`'s. The two alternate, so that a change
  /// in the machine's speed affects both. One unmeasured round comes first. `preparing` and `checking` run before and
  /// after each round and are not measured.
  func ratio(
    preparing: () throws -> Void = {}, subject: () throws -> Void, baseline: () throws -> Void,
    checking: () throws -> Void = {}
  ) rethrows -> Figure {
    var ratios: [Double] = []
    for round in 0...rounds {
      try preparing()
      let first: Double
      let second: Double
      if round.isMultiple(of: 2) {
        first = try Self.seconds(subject)
        second = try Self.seconds(baseline)
      } else {
        second = try Self.seconds(baseline)
        first = try Self.seconds(subject)
      }
      try checking()
      if round > 0 { ratios.append(first / second) }
    }
    return .ratio(Self.median(ratios))
  }

  /// The median over the rounds of what `body` measures itself.
  func median(_ body: () throws -> Double) rethrows -> Double {
    _ = try body()
    var values: [Double] = []
    for _ in 0..<rounds { values.append(try body()) }
    return Self.median(values)
  }

  /// The wall time that `body` takes.
  static func seconds(_ body: () throws -> Void) rethrows -> Double {
    let clock = ContinuousClock()
    let duration = try clock.measure(body)
    return Double(duration.components.seconds) + Double(duration.components.attoseconds) * 1e-18
  }

  static func median(_ values: [Double]) -> Double {
    precondition(!values.isEmpty, "the median of nothing")
    let sorted = values.sorted()
    let middle = sorted.count / 2
    return sorted.count.isMultiple(of: 2) ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle]
  }

  /// Fails the benchmark unless `condition` holds.
  func check(_ condition: Bool, _ what: @autoclosure () -> String) throws {
    if !condition { throw WrongResult(what()) }
  }
}

/// The options of the command line.
struct BenchOptions {
  var json = false
  var list = false
  var only = ""
  var rounds = 9

  init(arguments: [String]) throws {
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      switch argument {
      case "--json": json = true
      case "--list": list = true
      case "--only":
        guard let prefix = rest.popFirst() else { throw WrongResult("--only needs a prefix, as in --only store.") }
        only = prefix
      case "--rounds":
        guard let text = rest.popFirst(), let number = Int(text), number > 0 else {
          throw WrongResult("--rounds needs a whole number above 0")
        }
        rounds = number
      default:
        throw WrongResult(
          "unknown argument '\(argument)'; usage: bench [--json] [--only PREFIX] [--rounds N] [--list]")
      }
    }
  }
}

/// Runs benchmarks and prints a line for each figure.
struct Bench {
  let options: BenchOptions

  func run(_ all: [Benchmark]) throws {
    let chosen = all.filter { $0.name.hasPrefix(options.only) }
    guard !chosen.isEmpty else { throw WrongResult("no benchmark's name begins with '\(options.only)'") }
    if options.list {
      for benchmark in chosen { print("\(benchmark.name): \(benchmark.about)") }
      return
    }
    let context = BenchContext(rounds: options.rounds)
    var failures = 0
    for benchmark in chosen {
      do {
        let figure = try benchmark.body(context)
        Output.standardOutput(line(benchmark, figure))
      } catch {
        failures += 1
        Output.standardError("bench: \(benchmark.name) failed: \(error)\n")
      }
    }
    if failures > 0 { throw WrongResult("\(failures) of \(chosen.count) benchmarks failed") }
  }

  private func line(_ benchmark: Benchmark, _ figure: Figure) -> String {
    let value = Output.number(figure.value)
    if options.json {
      return "{\"name\": \"\(benchmark.name)\", \"value\": \(value), \"unit\": \"\(figure.unit)\"}\n"
    }
    let padding = String(repeating: " ", count: max(1, 34 - benchmark.name.count))
    return "\(benchmark.name)\(padding)\(value) \(figure.unit)   \(benchmark.about)\n"
  }
}

/// Unbuffered output, so that a figure is shown as soon as it is known.
enum Output {
  static func standardOutput(_ text: String) { put(text, to: 1) }
  static func standardError(_ text: String) { put(text, to: 2) }

  private static func put(_ text: String, to descriptor: Int32) {
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
      let written = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
      guard written > 0 else { return }
      bytes = bytes.dropFirst(written)
    }
  }

  static func exit(_ status: Int32) -> Never { CLibrary.exit(status) }

  /// Four significant digits, never in scientific notation.
  static func number(_ value: Double) -> String {
    guard value.isFinite, value != 0 else { return "0" }
    var scale = 1.0
    var digits = 0
    while abs(value) * scale < 1000, digits < 9 {
      scale *= 10
      digits += 1
    }
    let whole = Int64((abs(value) * scale).rounded())
    let divisor = Int64(scale)
    let sign = value < 0 ? "-" : ""
    guard digits > 0 else { return sign + String(whole) }
    let fraction = String(whole % divisor)
    return sign + String(whole / divisor) + "." + String(repeating: "0", count: digits - fraction.count) + fraction
  }
}
