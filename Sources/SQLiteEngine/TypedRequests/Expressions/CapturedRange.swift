import RowModel

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A captured range: its bounds are bound values.
protocol CapturedRange {
  func contains(_ element: Term, _ translator: Translator, _ expression: some PredicateExpression) throws -> Term
}

extension Range: CapturedRange {
  func contains(_ element: Term, _ translator: Translator, _ expression: some PredicateExpression) throws -> Term {
    .between(
      element, try translator.constant(lowerBound, expression), try translator.constant(upperBound, expression), "<")
  }
}

extension ClosedRange: CapturedRange {
  func contains(_ element: Term, _ translator: Translator, _ expression: some PredicateExpression) throws -> Term {
    .between(
      element, try translator.constant(lowerBound, expression), try translator.constant(upperBound, expression), "<=")
  }
}

extension PartialRangeFrom: CapturedRange {
  func contains(_ element: Term, _ translator: Translator, _ expression: some PredicateExpression) throws -> Term {
    .compare(element, ">=", try translator.constant(lowerBound, expression))
  }
}

extension PartialRangeThrough: CapturedRange {
  func contains(_ element: Term, _ translator: Translator, _ expression: some PredicateExpression) throws -> Term {
    .compare(element, "<=", try translator.constant(upperBound, expression))
  }
}

extension PartialRangeUpTo: CapturedRange {
  func contains(_ element: Term, _ translator: Translator, _ expression: some PredicateExpression) throws -> Term {
    .compare(element, "<", try translator.constant(upperBound, expression))
  }
}
