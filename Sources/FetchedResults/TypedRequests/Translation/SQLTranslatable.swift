#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// An expression of a predicate that has a meaning in SQL.
protocol SQLTranslatable: PredicateExpression {
  /// The expressions that it is made of.
  var parts: [any PredicateExpression] { get }
  /// The expression in SQL.
  func term(_ translator: Translator) throws -> Term
  /// The expression as it may have been written.
  func swift(_ translator: Translator) -> String
  /// Whether it is the same for every row; `inner` are the variables of closures around it.
  func isCaptured(_ inner: Set<PredicateExpressions.VariableID>) -> Bool
}

extension SQLTranslatable {
  func isCaptured(_ inner: Set<PredicateExpressions.VariableID>) -> Bool {
    parts.allSatisfy { CapturedValues.isCaptured($0, inner) }
  }
}
