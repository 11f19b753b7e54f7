import SQLiteStore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension PredicateExpressions.SequenceContains: SQLTranslatable {
  var parts: [any PredicateExpression] { [sequence, element] }

  func term(_ translator: Translator) throws -> Term {
    if LHS.Output.self == String.self, let character = try translator.captured(element) as? Character {
      return .contains(try translator.term(of: sequence), try translator.constant(String(character), self))
    }
    guard let elements = try translator.captured(sequence) else {
      throw translator.refusal(self, "SQLite can't look into \(LHS.Output.self); capture what is looked through")
    }
    let (kind, _) = try translator.kind(of: RHS.Output.self, self)
    let element = try translator.term(of: element)
    if kind.isOrdered, let range = elements as? any CapturedRange {
      return try range.contains(element, translator, self)
    }
    var values: [Value] = []
    var hasNil = false
    for captured in elements {
      let value = try translator.stored(captured, kind, self)
      if value.isNull { hasNil = true } else { values += kind == .uuid ? ValueKind.forms(of: value) : [value] }
    }
    let found = Term.condition("(\(element.listed) IN \(values))", on: element)
    guard hasNil else { return found }
    return .join("OR", Term("(\(element.column ?? element.sql) IS NULL)", .bool), found)
  }

  func swift(_ translator: Translator) -> String {
    "\(translator.swift(sequence)).contains(\(translator.swift(element)))"
  }
}

extension PredicateExpressions.SequenceContainsWhere: SQLTranslatable {
  var parts: [any PredicateExpression] { [sequence, test] }

  func isCaptured(_ inner: Set<PredicateExpressions.VariableID>) -> Bool {
    guard let sequence = sequence as? any SQLTranslatable, let test = test as? any SQLTranslatable else { return false }
    return sequence.isCaptured(inner) && test.isCaptured(inner.union([variable.key]))
  }

  func term(_ translator: Translator) throws -> Term {
    let tests = try translator.unroll(sequence, self) {
      try $0.binding(variable.key, to: $1, named: "$1").term(of: test)
    }
    return tests.dropFirst().reduce(tests.first ?? .always(false)) { .join("OR", $0, $1) }
  }

  func swift(_ translator: Translator) -> String {
    let inner = translator.binding(variable.key, to: .always(true), named: "$1")
    return "\(translator.swift(sequence)).contains { \(inner.swift(test)) }"
  }
}

extension PredicateExpressions.SequenceAllSatisfy: SQLTranslatable {
  var parts: [any PredicateExpression] { [sequence, test] }

  func isCaptured(_ inner: Set<PredicateExpressions.VariableID>) -> Bool {
    guard let sequence = sequence as? any SQLTranslatable, let test = test as? any SQLTranslatable else { return false }
    return sequence.isCaptured(inner) && test.isCaptured(inner.union([variable.key]))
  }

  func term(_ translator: Translator) throws -> Term {
    let tests = try translator.unroll(sequence, self) {
      try $0.binding(variable.key, to: $1, named: "$1").term(of: test)
    }
    return tests.dropFirst().reduce(tests.first ?? .always(true)) { .join("AND", $0, $1) }
  }

  func swift(_ translator: Translator) -> String {
    let inner = translator.binding(variable.key, to: .always(true), named: "$1")
    return "\(translator.swift(sequence)).allSatisfy { \(inner.swift(test)) }"
  }
}

extension Term {
  /// As the left side of IN.
  fileprivate var listed: SQL { kind == .uuid ? sql : collated }
}

extension Translator {
  /// A closure for each element of a captured sequence.
  fileprivate func unroll<S: PredicateExpression>(
    _ sequence: S, _ expression: some PredicateExpression, _ body: (Translator, Term) throws -> Term
  ) throws -> [Term] where S.Output: Sequence {
    guard let elements = try captured(sequence) else {
      throw refusal(expression, "SQLite can't look into \(S.Output.self); capture what is looked through")
    }
    let all = Array(elements)
    // SQLite takes a condition of 1000 parts, in all.
    guard all.count <= 500 else {
      throw refusal(expression, "a closure over \(all.count) elements is too long for one condition")
    }
    return try all.map { try body(self, try constant($0, expression)) }
  }
}
