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
  /// The expression, in parentheses unless nothing can come between its parts. A Bool is 0, 1 or NULL.
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
  /// What was captured.
  var constant: Value?
  /// The column itself, where this is one.
  var column: SQL?
  /// The parts of a chain of AND or of OR without the parentheses, so that a long one is not deep.
  var chain: Chain?

  struct Chain {
    var joint: String
    var sql: SQL
  }

  init(_ sql: SQL, _ kind: ValueKind) {
    self.sql = sql
    self.kind = kind
  }

  /// As a condition: a column of Bools is one as it stands.
  var truth: SQL { kind == .bool ? column ?? sql : sql }

  /// As a condition that is true or false, never NULL.
  var settled: SQL { mayBeNull ? "COALESCE(\(truth), 0)" : truth }

  /// As a value: a condition that is NULL for want of one is false.
  var value: SQL { kind == .bool && !isOptional && mayBeNull ? "COALESCE(\(sql), 0)" : sql }

  /// As an operand of arithmetic.
  var number: SQL { kind == .real && !isReal ? "CAST(\(sql) AS REAL)" : sql }

  /// As an operand of a comparison, on its left: whatever its column is declared with, texts are compared by their bytes.
  var collated: SQL {
    switch kind {
    case .text, .stored: "\(sql) COLLATE BINARY"
    case .uuid: "\(sql) COLLATE NOCASE"
    default: value
    }
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

  /// `NOT`, of what is settled.
  static func not(_ term: Term) -> Term {
    var result = Term("(NOT \(term.settled))", .bool)
    if !term.mayBeNull { result.strict = term.strict }
    return result
  }

  /// `AND` or `OR`.
  static func join(_ joint: String, _ left: Term, _ right: Term) -> Term {
    let first = left.chain?.joint == joint ? left.chain?.sql ?? left.truth : left.truth
    let second = right.chain?.joint == joint ? right.chain?.sql ?? right.truth : right.truth
    let chain: SQL = "\(first) \(raw: joint) \(second)"
    var result = Term("(\(chain))", .bool)
    result.chain = Chain(joint: joint, sql: chain)
    result.mayBeNull = left.mayBeNull || right.mayBeNull
    result.strict = left.strict.intersection(right.strict)
    return result
  }

  /// What is always the same.
  static func always(_ truth: Bool) -> Term { Term(truth ? "1" : "0", .bool) }
}
