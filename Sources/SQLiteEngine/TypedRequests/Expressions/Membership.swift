import FetchedResultsCore
import RowModel

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
    if let values = Self.plainValues(of: elements) {
      return values.isEmpty ? .always(false) : .condition("(\(element.collated) IN \(values))", on: element)
    }
    if kind.isOrdered, let range = elements as? any CapturedRange {
      return try range.contains(element, translator, self)
    }
    var values: [Value] = []
    var leads: [SQL?] = []
    var hasNil = false
    var instance: (any ValueConvertible)?
    for captured in elements {
      let value = try translator.stored(captured, kind, self)
      if value.isNull {
        hasNil = true
        continue
      }
      values.append(value)
      instance = captured as? any ValueConvertible
      if kind.hasForms, values.count <= Self.leads, let column = element.column {
        leads.append((captured as? any ValueConvertible).flatMap { FormBounds.equal(column, $0) })
      }
    }
    let isNil = Term("(\(element.column ?? element.sql) IS NULL)", .bool)
    // No value is in an empty list, not even NULL: the result is false, and not NULL.
    if values.isEmpty { return hasNil ? isNil : .always(false) }
    var found = Term.condition("(\(element.collated) IN \(values))", on: element)
    // For a short list an index can be used for a condition on each element.
    if !leads.isEmpty, leads.count == values.count, leads.allSatisfy({ $0 != nil }) {
      let all = leads.compactMap { $0 }
      found = found.led(by: "(\(all.dropFirst().reduce(all[0]) { $0 + " OR " + $1 }))")
    } else if kind.hasForms {
      found = found.withoutIndex(element.column, instance)
    }
    return hasNil ? .joined(.or, [isNil, found]) : found
  }

  private static var leads: Int { 16 }

  /// The values of a list of texts or integers, which may be long; nil for others. Asking each element what it is would
  /// take several times as long.
  private static func plainValues(of elements: LHS.Output) -> [Value]? {
    func known<C>(_ type: C.Type) -> C? { LHS.Output.self == type ? elements as? C : nil }
    if let texts = known([String].self) { return texts.map { .text($0) } }
    if let texts = known(Set<String>.self) { return texts.map { .text($0) } }
    if let numbers = known([Int].self) { return numbers.map { .integer(Int64($0)) } }
    if let numbers = known(Set<Int>.self) { return numbers.map { .integer(Int64($0)) } }
    if let numbers = known([Int64].self) { return numbers.map { .integer($0) } }
    if let numbers = known(Set<Int64>.self) { return numbers.map { .integer($0) } }
    return nil
  }

  func swift(_ translator: Translator) -> String {
    "\(translator.swift(sequence)).contains(\(translator.swift(element)))"
  }
}

extension PredicateExpressions.SequenceContainsWhere: SQLTranslatable {
  var parts: [any PredicateExpression] { [sequence, test] }

  func isCaptured(_ inner: Set<PredicateExpressions.VariableID>) -> Bool {
    CapturedValues.isCaptured(sequence, inner) && CapturedValues.isCaptured(test, inner.union([variable.key]))
  }

  func term(_ translator: Translator) throws -> Term {
    let tests = try translator.unroll(sequence, .or, self) {
      try $0.binding(variable, toValue: $1, named: "$1").term(of: test)
    }
    return .joined(.or, tests)
  }

  func swift(_ translator: Translator) -> String {
    let inner = translator.binding(variable.key, to: .always(true), named: "$1")
    return "\(translator.swift(sequence)).contains { \(inner.swift(test)) }"
  }
}

extension PredicateExpressions.SequenceAllSatisfy: SQLTranslatable {
  var parts: [any PredicateExpression] { [sequence, test] }

  func isCaptured(_ inner: Set<PredicateExpressions.VariableID>) -> Bool {
    CapturedValues.isCaptured(sequence, inner) && CapturedValues.isCaptured(test, inner.union([variable.key]))
  }

  func term(_ translator: Translator) throws -> Term {
    let tests = try translator.unroll(sequence, .and, self) {
      try $0.binding(variable, toValue: $1, named: "$1").term(of: test)
    }
    return .joined(.and, tests)
  }

  func swift(_ translator: Translator) -> String {
    let inner = translator.binding(variable.key, to: .always(true), named: "$1")
    return "\(translator.swift(sequence)).allSatisfy { \(inner.swift(test)) }"
  }
}

extension Translator {
  /// The closure for each element of a captured sequence, as far as Swift reaches.
  fileprivate func unroll<S: PredicateExpression>(
    _ sequence: S, _ joint: Joint, _ expression: some PredicateExpression,
    _ body: (Translator, S.Output.Element) throws -> Term
  ) throws -> [Term] where S.Output: Sequence {
    guard let elements = try captured(sequence) else {
      throw refusal(expression, "SQLite can't look into \(S.Output.self); capture what is looked through")
    }
    let all = Array(elements)
    // SQLite accepts a condition of 1000 parts in total.
    guard all.count <= 500 else {
      throw refusal(expression, "a closure over \(all.count) elements is too long for one condition")
    }
    var reached = self
    var terms: [Term] = []
    for element in all {
      let term = try body(reached, element)
      if let truth = term.knownTruth {
        if truth == joint.deciding { return [term] }
      } else {
        terms.append(term)
        reached.isCertain = false
      }
    }
    return terms
  }
}
