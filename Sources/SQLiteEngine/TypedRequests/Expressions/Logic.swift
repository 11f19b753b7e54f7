import FetchedResultsCore
import RowModel

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A chain is translated operand by operand.
protocol TranslatableChain: ChainExpression, SQLTranslatable {}

extension TranslatableChain {
  // Not called where a chain is taken apart.
  var parts: [any PredicateExpression] { [left, right] }

  func isCaptured(_ inner: Set<PredicateExpressions.VariableID>) -> Bool {
    Operand.all(of: self) { $0.allSatisfy { CapturedValues.isCaptured($0.expression, inner) } }
  }

  func term(_ translator: Translator) throws -> Term {
    try Operand.all(of: self) { operands in
      var reached = translator
      var terms: [Term] = []
      for operand in operands {
        let term = try reached.term(ofAny: operand.expression)
        if let truth = term.knownTruth {
          if truth == Self.joint.deciding { return .always(truth) }
        } else {
          terms.append(term)
          // Whether Swift reaches the rest depends on the row.
          reached.isCertain = false
        }
      }
      return .joined(Self.joint, terms)
    }
  }

  func swift(_ translator: Translator) -> String {
    Operand.all(of: self) { operands in
      let shown = operands.prefix(10).map { translator.swift(any: $0.expression) }
      let symbol = Self.joint == .and ? " && " : " || "
      return "(" + shown.joined(separator: symbol) + (operands.count > 10 ? "\(symbol)…" : "") + ")"
    }
  }
}

extension PredicateExpressions.Conjunction: TranslatableChain {}
extension PredicateExpressions.Disjunction: TranslatableChain {}

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
    if let truth = test.knownTruth {
      return try truth ? translator.term(of: trueBranch) : translator.term(of: falseBranch)
    }
    var reached = translator
    reached.isCertain = false
    let yes = try reached.term(of: trueBranch)
    let no = try reached.term(of: falseBranch)
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
