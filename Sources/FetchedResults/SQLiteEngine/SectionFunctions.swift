import DataSources
import FetchedResultsSupport
import SQLiteStore

/// The functions that compute sections, as SQL calls them: by a number, through one function that every database has.
///
/// So a request leaves nothing behind in the database, and the same number always means the same function.
final class SectionFunctions: Sendable {
  static let name = "frc_section"
  private static let functions = Locked<[Int64: WeakFunction]>([:])
  private static let counter = Locked<Int64>(0)

  private struct WeakFunction: Sendable {
    weak let function: SectionFunction?
  }

  init(in database: Database) throws {
    try database.addLibraryFunction(Self.name, arguments: 2, isDeterministic: true) { arguments in
      guard case .integer(let token) = arguments[0],
        let function = Self.functions.withLock({ $0[token] })?.function
      else { throw DatabaseError(code: .misuse, message: "the function of these sections is gone") }
      return Value(function.call(arguments[1]))
    }
  }

  /// The number of a function; it lives as long as the function does.
  static func token(of function: SectionFunction) -> Int64 { function.token }

  static func add(_ function: SectionFunction, _ token: Int64) {
    functions.withLock { $0[token] = WeakFunction(function: function) }
  }

  static func nextToken() -> Int64 {
    counter.withLock {
      $0 += 1
      return $0
    }
  }

  static func remove(_ token: Int64) { _ = functions.withLock { $0.removeValue(forKey: token) } }
}

extension Value {
  /// The database value of a section's id.
  init(_ id: SectionID) {
    switch id {
    case .none: self = .null
    case .integer(let value): self = .integer(value)
    case .real(let value): self = .real(value)
    case .text(let value): self = .text(value)
    case .blob(let value): self = .blob(value)
    }
  }
}
