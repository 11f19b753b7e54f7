import CFetchedResultsSQLite
import FixtureSupport
import SQLiteStore

/// A call on the connection of a read, a write or a migration.
indirect enum ModelStep: CustomStringConvertible, Sendable {
  /// Runs a statement for what it changes.
  case run(String, [Value])
  /// Reads the rows of a statement.
  case query(String, [Value])
  /// Runs several statements as one script.
  case script(ModelScript)
  /// Tries to change a setting of the connection.
  case setting(String)
  case entity(EntityCall)
  case savepoint([ModelStep])
  /// Runs steps and catches their error.
  case caught([ModelStep])
  /// Runs steps for each row of a result, while it is read.
  case loop(String, [ModelStep])
  /// Throws an error that is not the store's.
  case fail

  var description: String {
    func list(_ steps: [ModelStep]) -> String { "{ \(steps.map(\.description).joined(separator: " ; ")) }" }
    return switch self {
    case .run(let sql, let values): "run \(sql) \(values)"
    case .query(let sql, let values): "query \(sql) \(values)"
    case .script(let script): "script \(script.text.debugDescription)"
    case .setting(let sql): "setting \(sql)"
    case .entity(let call): "\(call)"
    case .savepoint(let steps): "savepoint \(list(steps))"
    case .caught(let steps): "caught \(list(steps))"
    case .loop(let sql, let steps): "for each of \(sql) \(list(steps))"
    case .fail: "throw"
    }
  }
}

/// A script, made of statements with something between them.
struct ModelScript: Sendable {
  var statements: [String]
  /// What is before each statement: blanks and comments.
  var gaps: [String]

  var text: String { zip(gaps, statements).map { $0 + $1 + ";" }.joined() }

  /// Where a statement begins, in bytes.
  func start(of index: Int) -> Int {
    (0..<index).reduce(gaps[index].utf8.count) { $0 + gaps[$1].utf8.count + statements[$1].utf8.count + 1 }
  }

  /// The line and the column of a byte, both counted from 1.
  func place(of byte: Int) -> (line: Int, column: Int) {
    let lines = String(decoding: text.utf8.prefix(byte), as: UTF8.self).unicodeScalars
      .split(separator: "\n", omittingEmptySubsequences: false)
    return (lines.count, (lines.last?.count ?? 0) + 1)
  }
}

/// What a call has given, as far as it is compared.
enum ModelOutcome: CustomStringConvertible {
  /// How many rows a statement has changed, and the row id of the last insertion where it inserted rows.
  case changed(Int, lastID: Int64?)
  case rows([[RawDatabase.Value]])
  case failed(ModelFailure)

  static func shown(_ rows: [[RawDatabase.Value]]) -> String {
    rows.map { "(" + $0.map(\.shown).joined(separator: ", ") + ")" }.joined(separator: ", ")
  }

  /// Whether the store may give `other` where plain SQLite gives this.
  func accepts(_ other: ModelOutcome) -> Bool {
    switch (self, other) {
    case (.changed(let count, let id), .changed(let otherCount, let otherID)): count == otherCount && id == otherID
    case (.rows(let rows), .rows(let others)): rows == others
    case (.failed(let failure), .failed(let other)): failure.accepts(other)
    default: false
    }
  }

  var description: String {
    switch self {
    case .changed(let count, let id): "changed \(count)\(id.map { ", last id \($0)" } ?? "")"
    case .rows(let rows): "rows \(Self.shown(rows))"
    case .failed(let failure): "failed: \(failure)"
    }
  }
}

/// An error, of the store or as plain SQLite lets one expect it.
struct ModelFailure: Error, CustomStringConvertible {
  /// The extended result code; -1 for an error that is not the store's.
  var code: Int32
  /// All of the message, or the part that is expected.
  var message = ""
  /// Whether it is the error that has ended the transaction, reported again.
  var hasEnded = false
  /// The statement of a script.
  var sql: String?
  /// The line and the column that the message names.
  var place: (line: Int, column: Int)?
  /// Whether the columns at fault are named.
  var namesColumns = false
  /// Whether the refusal of what writes in a read may come first, as for a statement that was compiled before.
  var mayBeRefused = false

  static let own = ModelFailure(code: -1)

  static func misuse(_ message: String) -> ModelFailure { ModelFailure(code: SQLITE_MISUSE, message: message) }

  init(
    code: Int32, message: String = "", sql: String? = nil, place: (line: Int, column: Int)? = nil,
    namesColumns: Bool = false
  ) {
    self.code = code
    self.message = message
    self.sql = sql
    self.place = place
    self.namesColumns = namesColumns
  }

  init(_ error: any Error) {
    if let failure = error as? ModelFailure {
      self = failure
    } else if let error = error as? DatabaseError {
      self.init(
        code: error.extendedCode.rawValue, message: error.message, sql: error.sql, namesColumns: !error.columns.isEmpty)
      hasEnded = error.message.contains("has ended the transaction and undone all of it")
    } else {
      self.init(code: -2, message: "\(error)")
    }
  }

  /// Whether this, as it is expected, describes an error of the store.
  func accepts(_ other: ModelFailure) -> Bool {
    if mayBeRefused, other.code == SQLITE_READONLY { return true }
    guard code == other.code, hasEnded == other.hasEnded, other.message.contains(message) else { return false }
    if let sql, other.sql.map(Self.trimmed) != Self.trimmed(sql) { return false }
    if let place, !other.message.contains("(line \(place.line), column \(place.column))") { return false }
    return !namesColumns || other.namesColumns
  }

  private static func trimmed(_ sql: String) -> String { String(sql.trimmingPrefix { $0 == " " }.prefix { $0 != ";" }) }

  var description: String {
    "\(code) \(message)\(hasEnded ? " (ended)" : "")\(sql.map { " in: \($0)" } ?? "")"
      + "\(place.map { " at \($0.line):\($0.column)" } ?? "")\(namesColumns ? " (columns)" : "")"
  }
}

/// A connection that steps are run on.
protocol ModelSide {
  func run(_ sql: String, _ values: [Value]) throws -> ModelOutcome
  func rows(_ sql: String, _ values: [Value]) throws -> [[RawDatabase.Value]]
  func script(_ script: ModelScript) throws
  func setting(_ sql: String) throws
  func entity(_ call: EntityCall) throws -> ModelOutcome
  func inSavepoint(_ body: () throws -> Void) throws
  func forEachRow(_ sql: String, _ body: () throws -> Void) throws
}

extension ModelSide {
  /// Runs steps, notes what each gives, and throws the first error that no step catches.
  func perform(_ steps: [ModelStep], _ outcomes: inout [ModelOutcome]) throws {
    for step in steps {
      do {
        switch step {
        case .run(let sql, let values): outcomes.append(try run(sql, values))
        case .query(let sql, let values): outcomes.append(.rows(try rows(sql, values)))
        case .script(let text): try script(text)
        case .setting(let sql): try setting(sql)
        case .entity(let call): outcomes.append(try entity(call))
        case .savepoint(let steps): try inSavepoint { try perform(steps, &outcomes) }
        case .caught(let steps): do { try perform(steps, &outcomes) } catch {}
        case .loop(let sql, let steps): try forEachRow(sql) { try perform(steps, &outcomes) }
        case .fail: throw ModelFailure.own
        }
      } catch {
        outcomes.append(.failed(ModelFailure(error)))
        throw error
      }
    }
  }
}

extension RawDatabase.Value {
  /// The value as SQL has it.
  var shown: String {
    switch self {
    case .null: "NULL"
    case .integer(let value): "\(value)"
    case .real(let bits): "\(Double(bitPattern: bits))"
    case .text(let bytes): String(decoding: bytes, as: UTF8.self).debugDescription
    case .blob(let bytes): "blob \(bytes)"
    }
  }

  init(_ value: Value) {
    switch value {
    case .null: self = .null
    case .integer(let value): self = .integer(value)
    case .real(let value): self = .real(bits: value.bitPattern)
    case .text(let value): self = .text(Array(value.utf8))
    case .blob(let value): self = .blob(value)
    }
  }
}
