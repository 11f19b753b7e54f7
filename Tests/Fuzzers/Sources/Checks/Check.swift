/// The fuzzed checks: each takes any bytes, and throws a ``Finding`` if something is wrong.
enum Check: String, CaseIterable {
  /// The importers, and the exports of what they have read.
  case `import`
  /// Words that people type: tokens, filters, dates.
  case tokens
  /// SQL with values and names put in, and any SQL at all.
  case sql
  /// Requests made of any SQL, followed by a controller.
  case requests
  /// Differences and snapshots.
  case changes
  /// Damaged database files.
  case database

  func run(_ bytes: [UInt8]) throws {
    switch self {
    case .import: try ImportCheck.run(bytes)
    case .tokens: try TokenCheck.run(bytes)
    case .sql: try SQLCheck.run(bytes)
    case .requests: try RequestCheck.run(bytes)
    case .changes: try ChangesCheck.run(bytes)
    case .database: try DatabaseCheck.run(bytes)
    }
  }
}

/// What does not hold.
struct Finding: Error, CustomStringConvertible {
  var description: String

  init(_ description: String) { self.description = description }
}

func expect(_ condition: Bool, _ description: @autoclosure () -> String) throws {
  if !condition { throw Finding(description()) }
}

func expectSame<T: Equatable>(_ found: T, _ wanted: T, _ what: @autoclosure () -> String) throws {
  if found != wanted { throw Finding("\(what()): found \(found), not \(wanted)") }
}

/// Runs what must not fail, and says what it was.
func must<T>(_ what: String, _ body: () throws -> T) throws -> T {
  do {
    return try body()
  } catch let finding as Finding {
    throw finding
  } catch {
    throw Finding("\(what): \(error)")
  }
}
