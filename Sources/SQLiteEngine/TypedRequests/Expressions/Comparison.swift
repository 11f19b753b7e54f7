import FetchedResultsCore
import RowModel

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
    @unknown default: fatalError("a comparison that Foundation has added since")
    }
  }

  func swift(_ translator: Translator) -> String { "\(translator.swift(lhs)) \(symbol) \(translator.swift(rhs))" }
}

// Ranges are not values in SQL; only `contains` uses them.
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
    if left.constant != nil, right.constant == nil { return compare(right, turned(symbol), left) }
    if left.kind == .text { return compareTexts(left, symbol, right) }
    let exact = condition("(\(left.value) \(raw: symbol) \(right.value))", on: left, right)
    guard let column = left.column else { return exact }
    switch right.instance {
    case let date as Date:
      return exact.led(by: FormBounds.compare(column, symbol, seconds: date.timeIntervalSinceReferenceDate))
    case let single as Float: return exact.led(by: FormBounds.compare(column, symbol, single))
    default: return exact
    }
  }

  private static func compareTexts(_ left: Term, _ symbol: String, _ right: Term) -> Term {
    let byBytes: SQL = "COLLATE BINARY\(raw: SQL.asUTF8)"
    if let column = left.column, case .text(let text)? = right.constant {
      let bound = FormBounds.compare(column, symbol, text: text)
      if bound.isExact { return condition("(\(bound.sql))", on: left, right) }
      return condition("(+\(column) \(byBytes) \(raw: symbol) \(text))", on: left, right).led(by: bound.sql)
    }
    return condition("(\(left.unconverted) \(byBytes) \(raw: symbol) \(right.unconverted))", on: left, right)
  }

  private static func turned(_ symbol: String) -> String {
    (symbol.first == "<" ? ">" : "<") + symbol.dropFirst()
  }

  static func between(_ element: Term, _ lower: Term, _ upper: Term, _ upperSymbol: String) -> Term {
    joined(.and, [compare(element, ">=", lower), compare(element, upperSymbol, upper)])
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
