import SQLiteStore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// An expression in SQL, with what has to be known of it to put it into a larger one.
///
/// Swift knows true and false, SQL also NULL. An optional's nil is NULL. Beyond that, a term of a type that is not optional
/// may be NULL where Swift has no value either (`!` on nil) or has one that SQL lacks (a NaN). A condition with such a term
/// is NULL, which stands for false: it stays so through AND, OR and CASE, and `settled` makes it so where it matters.
struct Term {
  /// The expression, in parentheses unless nothing can come between its parts. A Bool is 0, 1 or NULL; a value that
  /// may be stored in several forms is in its canonical one, a date a number of seconds.
  var sql: SQL
  var kind: ValueKind
  /// Whether the type is an optional, so that NULL is nil.
  var isOptional = false
  /// Whether it may be NULL although the type is not optional.
  var mayBeNull = false
  /// Whether Swift has a NaN where this is NULL.
  var mayBeNaN = false
  /// Whether numbers are reals also where they are whole: a column of doubles may hold integers, which divide otherwise.
  var isReal = false
  /// The variables whose NULL makes this NULL.
  var strict: Set<PredicateExpressions.VariableID> = []
  /// What was captured, as it is bound, and itself.
  var constant: Value?
  var instance: (any ValueConvertible)?
  /// The column itself, where this is one.
  var column: SQL?

  init(_ sql: SQL, _ kind: ValueKind) {
    self.sql = sql
    self.kind = kind
  }

  /// As a condition: a column of Bools is one as it stands.
  var truth: SQL { kind == .bool ? column ?? sql : sql }

  /// As a condition that is true or false, never NULL.
  var settled: SQL { mayBeNull ? "COALESCE(\(truth), 0)" : truth }

  /// As a condition that is 0 or 1, whatever integers a column of Bools holds.
  var settledValue: SQL { mayBeNull ? "COALESCE(\(sql), 0)" : sql }

  /// As a value: a condition that is NULL for want of one is false.
  var value: SQL { kind == .bool && !isOptional && mayBeNull ? "COALESCE(\(sql), 0)" : sql }

  /// As an operand of arithmetic.
  var number: SQL { kind == .real && !isReal ? "CAST(\(sql) AS REAL)" : sql }

  /// As an operand of a comparison, on its left: whatever its column is declared with, texts are compared by their bytes.
  var collated: SQL {
    switch kind {
    case .text, .stored: "\(sql) COLLATE BINARY"
    default: value
    }
  }

  /// Without the affinity of its column, by which a text may be compared as a number.
  var unconverted: SQL { column != nil && (kind == .text || kind == .stored) ? "+\(sql)" : value }

  /// A condition that is the same for every row.
  var knownTruth: Bool? {
    guard kind == .bool, !isOptional, case .integer(let truth)? = constant else { return nil }
    return truth != 0
  }

  /// A condition on terms: NULL when one of them is.
  static func condition(_ sql: SQL, on terms: Term...) -> Term {
    var result = Term(sql, .bool)
    for term in terms {
      result.mayBeNull = result.mayBeNull || term.isOptional || term.mayBeNull
      result.strict.formUnion(term.strict)
    }
    return result
  }

  /// A condition with another before it that holds wherever it does, and that an index can serve.
  func led(by lead: SQL?) -> Term {
    guard let lead else { return self }
    var result = self
    result.sql = "(\(lead) AND \(sql))"
    return result
  }

  /// The same condition, where the values' many forms keep an index on the column from serving it.
  func withoutIndex(_ column: SQL?, _ instance: (any ValueConvertible)?) -> Term {
    guard let column, let instance else { return self }
    let type = Swift.type(of: instance)
    guard type.storedForms != .one else { return self }
    var result = self
    let reason = "no index serves the condition on \(column.text): \(type) may be stored in several forms"
    result.sql = sql.losingIndex(CollectionOfOne(reason))
    return result
  }

  /// `NOT`, of what is settled.
  static func not(_ term: Term) -> Term {
    if let truth = term.knownTruth { return .always(!truth) }
    var result = Term("(NOT \(term.settled))", .bool)
    if !term.mayBeNull { result.strict = term.strict }
    return result
  }

  /// `AND` or `OR` of any number of terms, as a tree whose depth grows with the logarithm of their number: SQLite
  /// takes a depth of 1000.
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
      // Left-heavy up to a few, which reads as it was written.
      text += "("
      if range.count <= 8 {
        for index in range {
          if index > range.lowerBound { text += " \(joint.rawValue) " }
          append(index..<index + 1)
        }
      } else {
        let middle = range.lowerBound + range.count / 2
        append(range.lowerBound..<middle)
        text += " \(joint.rawValue) "
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

  /// What is always the same.
  static func always(_ truth: Bool) -> Term {
    var result = Term(truth ? "1" : "0", .bool)
    result.constant = .integer(truth ? 1 : 0)
    return result
  }
}
