import SQLiteStore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension PredicateExpressions.Comparison: SQLTranslatable {
  var parts: [any PredicateExpression] { [lhs, rhs] }

  func term(_ translator: Translator) throws -> Term {
    try translator.requireOrder(LHS.Output.self, self)
    return .compare(try translator.term(of: lhs), symbol, try translator.term(of: rhs))
  }

  private var symbol: String {
    switch op {
    case .lessThan: "<"
    case .lessThanOrEqual: "<="
    case .greaterThan: ">"
    case .greaterThanOrEqual: ">="
    @unknown default: preconditionFailure("a comparison that Foundation has added since")
    }
  }

  func swift(_ translator: Translator) -> String { "\(translator.swift(lhs)) \(symbol) \(translator.swift(rhs))" }
}

// Ranges are no values of SQL; only `contains` knows them.
extension PredicateExpressions.Range: SQLTranslatable {
  var parts: [any PredicateExpression] { [lower, upper] }

  func term(_ translator: Translator) throws -> Term {
    throw translator.refusal(self, "a range can only be asked whether it contains something")
  }

  func swift(_ translator: Translator) -> String { "(\(translator.swift(lower))..<\(translator.swift(upper)))" }
}

extension PredicateExpressions.ClosedRange: SQLTranslatable {
  var parts: [any PredicateExpression] { [lower, upper] }

  func term(_ translator: Translator) throws -> Term {
    throw translator.refusal(self, "a range can only be asked whether it contains something")
  }

  func swift(_ translator: Translator) -> String { "(\(translator.swift(lower))...\(translator.swift(upper)))" }
}

extension PredicateExpressions.RangeExpressionContains: SQLTranslatable {
  var parts: [any PredicateExpression] { [range, element] }

  func term(_ translator: Translator) throws -> Term {
    try translator.requireOrder(Element.Output.self, self)
    let element = try translator.term(of: element)
    if let value = try translator.captured(range) {
      guard let range = value as? any CapturedRange else {
        throw translator.refusal(self, "\(type(of: value)) is not a known kind of range")
      }
      return try range.contains(element, translator, self)
    }
    guard let range = range as? any BuiltRange else {
      throw translator.refusal(self, "\(type(of: range)) is not a known kind of range")
    }
    let (lower, upper) = try range.bounds(translator)
    return .between(element, lower, upper, range.upperSymbol)
  }

  func swift(_ translator: Translator) -> String {
    "\(translator.swift(range)).contains(\(translator.swift(element)))"
  }
}

extension Term {
  static func compare(_ left: Term, _ symbol: String, _ right: Term) -> Term {
    let exact = condition("(\(left.collated) \(raw: symbol) \(right.sql))", on: left, right)
    guard let bound = bound(left, symbol, right) ?? bound(right, turned(symbol), left) else { return exact }
    var led = exact
    led.sql = "(\(bound) AND \(exact.sql))"
    led.chain = Chain(joint: "AND", sql: "\(bound) AND \(exact.sql)")
    return led
  }

  private static func bound(_ left: Term, _ symbol: String, _ right: Term) -> SQL? {
    guard left.kind == .date, let column = left.column, case .real(let seconds)? = right.constant else { return nil }
    return DateBounds.around(column, symbol, seconds)
  }

  private static func turned(_ symbol: String) -> String {
    (symbol.first == "<" ? ">" : "<") + symbol.dropFirst()
  }

  static func between(_ element: Term, _ lower: Term, _ upper: Term, _ upperSymbol: String) -> Term {
    join("AND", compare(element, ">=", lower), compare(element, upperSymbol, upper))
  }
}

extension Translator {
  func requireOrder(_ type: Any.Type, _ expression: some PredicateExpression) throws {
    guard try kind(of: type, expression).kind.isOrdered else {
      throw refusal(expression, "\(type) has an order of its own, which SQLite doesn't know")
    }
  }
}

/// A range whose bounds depend on the row.
private protocol BuiltRange {
  var upperSymbol: String { get }
  func bounds(_ translator: Translator) throws -> (lower: Term, upper: Term)
}

extension PredicateExpressions.Range: BuiltRange {
  var upperSymbol: String { "<" }

  func bounds(_ translator: Translator) throws -> (lower: Term, upper: Term) {
    (try translator.term(of: lower), try translator.term(of: upper))
  }
}

extension PredicateExpressions.ClosedRange: BuiltRange {
  var upperSymbol: String { "<=" }

  func bounds(_ translator: Translator) throws -> (lower: Term, upper: Term) {
    (try translator.term(of: lower), try translator.term(of: upper))
  }
}
