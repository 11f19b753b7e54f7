import SQLiteStore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension PredicateExpressions.Conjunction: SQLTranslatable {
  var parts: [any PredicateExpression] { [lhs, rhs] }

  func term(_ translator: Translator) throws -> Term {
    .join("AND", try translator.term(of: lhs), try translator.term(of: rhs))
  }

  func swift(_ translator: Translator) -> String { "(\(translator.swift(lhs)) && \(translator.swift(rhs)))" }
}

extension PredicateExpressions.Disjunction: SQLTranslatable {
  var parts: [any PredicateExpression] { [lhs, rhs] }

  func term(_ translator: Translator) throws -> Term {
    .join("OR", try translator.term(of: lhs), try translator.term(of: rhs))
  }

  func swift(_ translator: Translator) -> String { "(\(translator.swift(lhs)) || \(translator.swift(rhs)))" }
}

extension PredicateExpressions.Negation: SQLTranslatable {
  var parts: [any PredicateExpression] { [wrapped] }

  func term(_ translator: Translator) throws -> Term { .not(try translator.term(of: wrapped)) }

  func swift(_ translator: Translator) -> String { "!\(translator.swift(wrapped))" }
}

extension PredicateExpressions.Conditional: SQLTranslatable {
  var parts: [any PredicateExpression] { [test, trueBranch, falseBranch] }

  func term(_ translator: Translator) throws -> Term {
    let (kind, isOptional) = try translator.kind(of: Output.self, self)
    let test = try translator.term(of: test)
    let yes = try translator.term(of: trueBranch)
    let no = try translator.term(of: falseBranch)
    var result = Term("(CASE WHEN \(test.truth) THEN \(yes.sql) ELSE \(no.sql) END)", kind)
    result.isOptional = isOptional
    result.mayBeNull = yes.mayBeNull || no.mayBeNull
    result.mayBeNaN = yes.mayBeNaN || no.mayBeNaN
    result.isReal = yes.isReal && no.isReal
    return result
  }

  func swift(_ translator: Translator) -> String {
    "(\(translator.swift(test)) ? \(translator.swift(trueBranch)) : \(translator.swift(falseBranch)))"
  }
}
