import FetchedResultsCore
import RowModel

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension PredicateExpressions.Arithmetic: SQLTranslatable {
  var parts: [any PredicateExpression] { [lhs, rhs] }

  func term(_ translator: Translator) throws -> Term {
    let kind = try translator.requireNumber(Output.self, self)
    let left = try translator.term(of: lhs)
    let right = try translator.term(of: rhs)
    var result = Term.arithmetic(left, symbol, right, kind)
    switch op {
    case .add, .subtract: result.mayBeNaN = !left.isFinite && !right.isFinite  // inf - inf
    case .multiply: result.mayBeNaN = !left.isFiniteNotZero && !right.isFiniteNotZero  // inf * 0
    @unknown default: break
    }
    return result.settingNaN(left, right)
  }

  private var symbol: String {
    switch op {
    case .add: "+"
    case .subtract: "-"
    case .multiply: "*"
    @unknown default: fatalError("an operator that Foundation has added since")
    }
  }

  func swift(_ translator: Translator) -> String { "(\(translator.swift(lhs)) \(symbol) \(translator.swift(rhs)))" }
}

extension PredicateExpressions.UnaryMinus: SQLTranslatable {
  var parts: [any PredicateExpression] { [wrapped] }

  func term(_ translator: Translator) throws -> Term {
    let kind = try translator.requireNumber(Output.self, self)
    let term = try translator.term(of: wrapped)
    var result = Term("(- \(term.number))", kind)
    result.mayBeNull = term.mayBeNull
    result.isReal = true
    result.strict = term.strict
    return result.settingNaN(term, term)
  }

  func swift(_ translator: Translator) -> String { "-\(translator.swift(wrapped))" }
}

extension PredicateExpressions.IntDivision: SQLTranslatable {
  var parts: [any PredicateExpression] { [lhs, rhs] }

  func term(_ translator: Translator) throws -> Term {
    let kind = try translator.requireNumber(Output.self, self)
    let right = try translator.term(of: rhs)
    var result = Term.arithmetic(try translator.term(of: lhs), "/", right, kind)
    if !right.isFiniteNotZero { result.mayBeNull = true }
    return result
  }

  func swift(_ translator: Translator) -> String { "(\(translator.swift(lhs)) / \(translator.swift(rhs)))" }
}

extension PredicateExpressions.IntRemainder: SQLTranslatable {
  var parts: [any PredicateExpression] { [lhs, rhs] }

  func term(_ translator: Translator) throws -> Term {
    let kind = try translator.requireNumber(Output.self, self)
    let right = try translator.term(of: rhs)
    var result = Term.arithmetic(try translator.term(of: lhs), "%", right, kind)
    if !right.isFiniteNotZero { result.mayBeNull = true }
    return result
  }

  func swift(_ translator: Translator) -> String { "(\(translator.swift(lhs)) % \(translator.swift(rhs)))" }
}

extension PredicateExpressions.FloatDivision: SQLTranslatable {
  var parts: [any PredicateExpression] { [lhs, rhs] }

  func term(_ translator: Translator) throws -> Term {
    let kind = try translator.requireNumber(Output.self, self)
    let left = try translator.term(of: lhs)
    let right = try translator.term(of: rhs)
    if right.isFiniteNotZero { return Term.arithmetic(left, "/", right, kind).settingNaN(left, right) }
    // SQLite's result is NULL where that of IEEE is infinity.
    var result = Term.arithmetic(left, "/", right, kind)
    result.sql =
      "(CASE WHEN \(right.sql) = 0 THEN \(left.number) * 9e999 ELSE \(left.number) / \(right.number) END)"
    // A NULL divisor makes the CASE NULL through its ELSE, a NULL dividend through either branch.
    result.mayBeNaN = true
    return result.settingNaN(left, right)
  }

  func swift(_ translator: Translator) -> String { "(\(translator.swift(lhs)) / \(translator.swift(rhs)))" }
}

extension Term {
  fileprivate static func arithmetic(_ left: Term, _ symbol: String, _ right: Term, _ kind: ValueKind) -> Term {
    var result = Term("(\(left.number) \(raw: symbol) \(right.number))", kind)
    result.mayBeNull = left.mayBeNull || right.mayBeNull
    result.isReal = true
    result.strict = left.strict.union(right.strict)
    return result
  }

  /// A NaN operand gives NaN, for which SQLite has NULL; integers have neither.
  fileprivate func settingNaN(_ left: Term, _ right: Term) -> Term {
    var result = self
    result.mayBeNaN = kind == .real && (mayBeNaN || left.mayBeNaN || right.mayBeNaN)
    if result.mayBeNaN { result.mayBeNull = true }
    return result
  }

  fileprivate var isFinite: Bool {
    switch constant {
    case .integer: true
    case .real(let value): value.isFinite
    default: false
    }
  }

  fileprivate var isFiniteNotZero: Bool {
    switch constant {
    case .integer(let value): value != 0
    case .real(let value): value.isFinite && value != 0
    default: false
    }
  }
}

extension Translator {
  fileprivate func requireNumber(_ type: Any.Type, _ expression: some PredicateExpression) throws -> ValueKind {
    let kind = try kind(of: type, expression).kind
    guard kind == .integer || kind == .real else {
      throw refusal(expression, "SQLite calculates with 64-bit integers and doubles, not with \(type)")
    }
    return kind
  }
}
