import FetchedResultsCore
import RowModel

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension PredicateExpressions.Equal: SQLTranslatable {
  var parts: [any PredicateExpression] { [lhs, rhs] }

  func term(_ translator: Translator) throws -> Term {
    if let isNil = nilComparison(lhs, rhs, translator) { return isNil }
    _ = try translator.kind(of: LHS.Output.self, self)
    return .equal(try translator.term(of: lhs), try translator.term(of: rhs))
  }

  func swift(_ translator: Translator) -> String { "\(translator.swift(lhs)) == \(translator.swift(rhs))" }
}

extension PredicateExpressions.NotEqual: SQLTranslatable {
  var parts: [any PredicateExpression] { [lhs, rhs] }

  func term(_ translator: Translator) throws -> Term {
    if let isNil = nilComparison(lhs, rhs, translator) { return .not(isNil) }
    _ = try translator.kind(of: LHS.Output.self, self)
    return .unequal(try translator.term(of: lhs), try translator.term(of: rhs))
  }

  func swift(_ translator: Translator) -> String { "\(translator.swift(lhs)) != \(translator.swift(rhs))" }
}

/// Whether a column of optional JSON is nil, if that is what a comparison asks. NULL is nil, and so is JSON's `null`.
private func nilComparison(
  _ left: some PredicateExpression, _ right: some PredicateExpression, _ translator: Translator
) -> Term? {
  for (path, other) in [(left, right), (right, left)] as [(any PredicateExpression, any PredicateExpression)] {
    if other is any NilExpression, let column = (path as? any RowPath)?.optionalJSONColumn(translator) {
      return Term("(\(column) IS NULL)", .bool)
    }
  }
  return nil
}

private protocol NilExpression {}
extension PredicateExpressions.NilLiteral: NilExpression {}

extension Term {
  /// `==`. With nil on either side, it is false or true in Swift, never NULL.
  static func equal(_ left: Term, _ right: Term) -> Term {
    if left.constant != nil, right.constant == nil { return equal(right, left) }
    if right.constant == .null { return Term("(\(left.column ?? left.sql) IS NULL)", .bool) }
    if left.kind == .bool, !left.isOptional, let truth = right.constant {
      return truth == .integer(0) ? not(left) : left
    }
    if right.constant != nil {
      // NULL if the left side is nil, which means false, as in Swift; and an index can be used.
      let exact = condition("(\(left.collated) = \(right.value))", on: left, right)
      guard let column = left.column, let instance = right.instance, left.kind.hasForms else { return exact }
      guard let lead = FormBounds.equal(column, instance) else { return exact.withoutIndex(column, instance) }
      return exact.led(by: lead)
    }
    let symbol = left.isOptional ? "IS" : "="
    let sql: SQL = "(\(left.operand) \(raw: symbol) \(right.unconverted))"
    return left.isOptional ? Term(sql, .bool) : condition(sql, on: left, right)
  }

  /// `!=`.
  static func unequal(_ left: Term, _ right: Term) -> Term {
    if left.constant != nil, right.constant == nil { return unequal(right, left) }
    if right.constant == .null { return Term("(\(left.column ?? left.sql) IS NOT NULL)", .bool) }
    let isPlain = !left.kind.hasForms && left.kind != .bool && !left.mayBeNull && !right.mayBeNull
    guard isPlain else { return not(equal(left, right)) }
    if left.isOptional { return Term("(\(left.operand) IS NOT \(right.unconverted))", .bool) }
    return condition("(\(left.operand) <> \(right.unconverted))", on: left, right)
  }

  /// The left side of a comparison with something that is not a constant.
  private var operand: SQL { kind == .text || kind == .stored ? "\(unconverted) COLLATE BINARY" : collated }
}
