import DataSources
import FetchedResultsCore
import FetchedResultsSupport
import RowModel
import SQLiteStore

/// The functions that compute sections, as SQL calls them: by a number, through one function that every database has.
///
/// So a request leaves nothing behind in the database, and the same number always means the same function.
final class SectionFunctions: Sendable {
  static let name = "frc_section"
  private static let registry = Locked(Registry())

  private struct Registry: Sendable {
    var functions: [Int64: WeakFunction] = [:]
    var tokens: [ObjectIdentifier: Int64] = [:]
    var last: Int64 = 0
    /// With so many entries, those of released functions are removed.
    var most = 64
  }

  private struct WeakFunction: Sendable {
    weak let function: SectionFunction?
  }

  init(in database: Database) throws {
    try database.addLibraryFunction(Self.name, arguments: 2, isDeterministic: true, Self.call)
  }

  /// Adds it to one connection, for a request that is run there once.
  static func add(to connection: Connection) throws {
    try connection.addLibraryFunction(name, arguments: 2, isDeterministic: true, call)
  }

  private static let call: @Sendable ([Value]) throws -> Value = { arguments in
    guard case .integer(let token) = arguments[0],
      let function = registry.withLock({ $0.functions[token] })?.function
    else { throw DatabaseError(code: .misuse, message: "the function of these sections is gone") }
    return Value(function.call(arguments[1]))
  }

  /// The number of a function, which is its own as long as it lives.
  static func token(of function: SectionFunction) -> Int64 {
    let identity = ObjectIdentifier(function)
    // Other functions that were looked at are released outside the lock: that may be the last reference to one.
    let (token, lookedAt) = registry.withLock { registry -> (Int64, [SectionFunction]) in
      if let token = registry.tokens[identity], registry.functions[token]?.function === function { return (token, []) }
      let lookedAt = registry.functions.count < registry.most ? [] : removeReleased(&registry)
      registry.last += 1
      registry.functions[registry.last] = WeakFunction(function: function)
      registry.tokens[identity] = registry.last
      return (registry.last, lookedAt)
    }
    withExtendedLifetime(lookedAt) {}
    return token
  }

  /// Returns the functions that are still used.
  private static func removeReleased(_ registry: inout Registry) -> [SectionFunction] {
    var used: [SectionFunction] = []
    registry.functions = registry.functions.filter { _, entry in
      guard let function = entry.function else { return false }
      used.append(function)
      return true
    }
    registry.tokens = registry.tokens.filter { registry.functions[$0.value] != nil }
    registry.most = max(64, 2 * used.count)
    return used
  }

  /// How many functions are registered, for tests.
  static var count: Int { registry.withLock { $0.functions.count } }
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
