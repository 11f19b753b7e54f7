import RowModel

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension PredicateExpressions.CollectionContainsCollection: SQLTranslatable {
  var parts: [any PredicateExpression] { [base, other] }

  func term(_ translator: Translator) throws -> Term {
    try translator.requireTexts(Base.Output.self, Other.Output.self, self)
    return .contains(try translator.term(of: base), try translator.term(of: other))
  }

  func swift(_ translator: Translator) -> String { "\(translator.swift(base)).contains(\(translator.swift(other)))" }
}

extension PredicateExpressions.SequenceStartsWith: SQLTranslatable {
  var parts: [any PredicateExpression] { [base, prefix] }

  func term(_ translator: Translator) throws -> Term {
    try translator.requireTexts(Base.Output.self, Prefix.Output.self, self)
    let base = try translator.term(of: base)
    let prefix = try translator.term(of: prefix)
    // Not LIKE, which ignores case and has wildcards, nor substr with length(), which ends at a NUL.
    return .condition("(instr(\(base.sql), \(prefix.sql)) = 1)", on: base, prefix)
  }

  func swift(_ translator: Translator) -> String {
    "\(translator.swift(base)).starts(with: \(translator.swift(prefix)))"
  }
}

extension Term {
  /// Whether one text contains another, by bytes.
  static func contains(_ text: Term, _ part: Term) -> Term {
    condition("(instr(\(text.sql), \(part.sql)) > 0)", on: text, part)
  }
}

extension Translator {
  fileprivate func requireTexts(_ left: Any.Type, _ right: Any.Type, _ expression: some PredicateExpression) throws {
    guard left == String.self, right == String.self else {
      throw refusal(expression, "only texts can be looked through, not \(left) for \(right)")
    }
  }
}
