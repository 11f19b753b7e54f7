#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// An expression of a predicate that can be translated to SQL.
protocol SQLTranslatable: PredicateExpression {
  /// The parts of the expression.
  var parts: [any PredicateExpression] { get }
  /// The expression in SQL.
  func term(_ translator: Translator) throws -> Term
  /// The expression in Swift, as it may have been written.
  func swift(_ translator: Translator) -> String
  /// Whether it is the same for every row; `inner` are the variables of enclosing closures.
  func isCaptured(_ inner: Set<PredicateExpressions.VariableID>) -> Bool
}

extension SQLTranslatable {
  func isCaptured(_ inner: Set<PredicateExpressions.VariableID>) -> Bool {
    parts.allSatisfy { CapturedValues.isCaptured($0, inner) }
  }
}
