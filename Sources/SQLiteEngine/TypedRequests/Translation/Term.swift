import FetchedResultsCore
import RowModel

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// An expression in SQL, with the facts needed to put it into a larger one.
///
/// Swift has true and false, SQL also has NULL. An optional's nil is NULL. In addition, a term whose type is not
/// optional may be NULL if Swift has no value either (`!` on nil) or has one that SQL lacks (a NaN). A condition with
/// such a term is NULL, which means false. AND, OR and CASE keep that meaning, and `settled` turns it into false where
/// it matters.
struct Term {
  /// The expression, in parentheses if it could be split otherwise. A Bool is 0, 1 or NULL; a value that may be stored
  /// in several forms is in its canonical one, a date a number of seconds.
  var sql: SQL
  var kind: ValueKind
  /// Whether the type is an optional, so that NULL means nil.
  var isOptional = false
  /// Whether it may be NULL although the type is not optional.
  var mayBeNull = false
  /// Whether NULL here is a NaN in Swift.
  var mayBeNaN = false
  /// Whether integral numbers are reals too: a column of doubles may hold integers, which divide differently.
  var isReal = false
  /// The variables whose NULL makes this NULL.
  var strict: Set<PredicateExpressions.VariableID> = []
  /// The captured value, as it is bound, and itself.
  var constant: Value?
  var instance: (any ValueConvertible)?
  /// The column itself, if this is one.
  var column: SQL?

  init(_ sql: SQL, _ kind: ValueKind) {
    self.sql = sql
    self.kind = kind
  }

  /// As a condition: a column of Bools can be used without change.
  var truth: SQL { kind == .bool ? column ?? sql : sql }

  /// As a condition that is true or false, never NULL.
  var settled: SQL { mayBeNull ? "COALESCE(\(truth), 0)" : truth }

  /// As a condition that is 0 or 1, whatever integers a column of Bools holds.
  var settledValue: SQL { mayBeNull ? "COALESCE(\(sql), 0)" : sql }

  /// As a value: a condition that is NULL because a value is missing is false.
  var value: SQL { kind == .bool && !isOptional && mayBeNull ? "COALESCE(\(sql), 0)" : sql }

  /// As an operand of arithmetic.
  var number: SQL { kind == .real && !isReal ? "CAST(\(sql) AS REAL)" : sql }

  /// As the left operand of a comparison: texts are compared by their bytes, whatever the column declares.
  var collated: SQL {
    switch kind {
    case .text, .stored: "\(sql) COLLATE BINARY"
    default: value
    }
  }

  /// Without the affinity of its column, by which a text could be compared as a number.
  var unconverted: SQL { column != nil && (kind == .text || kind == .stored) ? "+\(sql)" : value }

  /// A condition that is the same for every row.
  var knownTruth: Bool? {
    guard kind == .bool, !isOptional, case .integer(let truth)? = constant else { return nil }
    return truth != 0
  }

  /// A condition on terms: NULL if one of them is.
  static func condition(_ sql: SQL, on terms: Term...) -> Term {
    var result = Term(sql, .bool)
    for term in terms {
      result.mayBeNull = result.mayBeNull || term.isOptional || term.mayBeNull
      result.strict.formUnion(term.strict)
    }
    return result
  }

  /// A condition preceded by another one that is true wherever it is, and for which an index can be used.
  func led(by lead: SQL?) -> Term {
    guard let lead else { return self }
    var result = self
    result.sql = "(\(lead) AND \(sql))"
    return result
  }

  /// The same condition, if the several forms of its values prevent the use of an index on the column.
  func withoutIndex(_ column: SQL?, _ instance: (any ValueConvertible)?) -> Term {
    guard let column, let instance else { return self }
    let type = Swift.type(of: instance)
    guard type.storedForms != .one else { return self }
    var result = self
    let reason = "no index serves the condition on \(column.text): \(type) may be stored in several forms"
    result.sql = sql.losingIndex(CollectionOfOne(reason))
    return result
  }

  /// `NOT`, of a settled condition.
  static func not(_ term: Term) -> Term {
    if let truth = term.knownTruth { return .always(!truth) }
    var result = Term("(NOT \(term.settled))", .bool)
    if !term.mayBeNull { result.strict = term.strict }
    return result
  }

  /// `AND` or `OR` of any number of terms, as a tree whose depth grows with the logarithm of their number: SQLite
  /// accepts a depth of 1000.
  static func joined(_ joint: Joint, _ terms: [Term]) -> Term {
    guard let first = terms.first else { return .always(!joint.deciding) }
    if terms.count == 1 { return first }
    var text = ""
    var bindings: [Value] = []
    var failed: SQL?
    var lostIndexes: Set<String> = []
    func append(_ range: Range<Int>) {
      if range.count == 1 {
        let truth = terms[range.lowerBound].truth
        text += truth.text
        bindings += truth.bindings
        lostIndexes.formUnion(truth.lostIndexes)
        if truth.failure != nil, failed == nil { failed = truth }
        return
      }
      // Left-heavy for a few, which reads as it was written.
      text += "("
      if range.count <= 8 {
        for index in range {
          if index > range.lowerBound { text += " \(joint.sql) " }
          append(index..<index + 1)
        }
      } else {
        let middle = range.lowerBound + range.count / 2
        append(range.lowerBound..<middle)
        text += " \(joint.sql) "
        append(middle..<range.upperBound)
      }
      text += ")"
    }
    append(0..<terms.count)
    var result = Term((failed ?? SQL(raw: text, bindings: bindings)).losingIndex(lostIndexes), .bool)
    result.mayBeNull = terms.contains { $0.mayBeNull }
    result.strict = terms.dropFirst().reduce(first.strict) { $0.isEmpty ? $0 : $0.intersection($1.strict) }
    return result
  }

  /// A constant condition.
  static func always(_ truth: Bool) -> Term {
    // SQLite leaves out what is joined to a plain 0 by AND, such as the key of one row, and would scan the table.
    var result = Term(truth ? "1" : "(0 <> 0)", .bool)
    result.constant = .integer(truth ? 1 : 0)
    return result
  }
}

extension Joint {
  /// The operator in SQL.
  fileprivate var sql: String { self == .and ? "AND" : "OR" }
}

extension ValueKind {
  /// Whether a value may be stored in several forms, one of which is found by an index and the others by bounds.
  var hasForms: Bool {
    switch self {
    case .date, .uuid, .single, .stored: true
    case .bool, .integer, .real, .text, .bytes, .utf8: false
    }
  }
}
