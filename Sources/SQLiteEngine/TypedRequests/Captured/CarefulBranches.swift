import FetchedResultsCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

// Each evaluates only what Swift reaches.

extension PredicateExpressions.Conjunction: CarefulExpression {
  func value(_ values: CapturedValues) throws -> Bool {
    try Operand.all(of: self) { operands in
      for operand in operands where try !operand.value(values) { return false }
      return true
    }
  }
}

extension PredicateExpressions.Disjunction: CarefulExpression {
  func value(_ values: CapturedValues) throws -> Bool {
    try Operand.all(of: self) { operands in
      for operand in operands where try operand.value(values) { return true }
      return false
    }
  }
}

extension Operand {
  fileprivate func value(_ values: CapturedValues) throws -> Bool {
    func open(_ expression: some PredicateExpression<Bool>) throws -> Bool { try values.value(of: expression) }
    return try open(expression)
  }
}

extension PredicateExpressions.Negation: CarefulExpression {
  func value(_ values: CapturedValues) throws -> Bool { try !values.value(of: wrapped) }
}

extension PredicateExpressions.Conditional: CarefulExpression {
  func value(_ values: CapturedValues) throws -> Output {
    try values.value(of: test) ? values.value(of: trueBranch) : values.value(of: falseBranch)
  }
}

extension PredicateExpressions.NilCoalesce: CarefulExpression {
  func value(_ values: CapturedValues) throws -> Output { try values.value(of: lhs) ?? values.value(of: rhs) }
}

extension PredicateExpressions.ForcedUnwrap: CarefulExpression {
  func value(_ values: CapturedValues) throws -> Output {
    guard let value = try values.value(of: inner) else { throw CapturedFault("it is nil") }
    return value
  }
}

extension PredicateExpressions.OptionalFlatMap: CarefulExpression {
  func value(_ values: CapturedValues) throws -> Output {
    guard let wrapped = try values.value(of: wrapped) else { return nil }
    // The closure returns a value or an optional one.
    let result = try values.binding(variable, to: wrapped).value(of: transform)
    guard let output = result as? Output else { throw CapturedFault("its value is no \(Output.self)") }
    return output
  }
}

extension PredicateExpressions.KeyPath: CarefulExpression {
  func value(_ values: CapturedValues) throws -> Output { try values.value(of: root)[keyPath: keyPath] }
}

extension PredicateExpressions.SequenceContains: CarefulExpression {
  func value(_ values: CapturedValues) throws -> Bool {
    let sequence = try values.value(of: sequence)
    return sequence.contains(try values.value(of: element))
  }
}

extension PredicateExpressions.SequenceContainsWhere: CarefulExpression {
  func value(_ values: CapturedValues) throws -> Bool {
    try values.value(of: sequence).contains { try values.binding(variable, to: $0).value(of: test) }
  }
}

extension PredicateExpressions.SequenceAllSatisfy: CarefulExpression {
  func value(_ values: CapturedValues) throws -> Bool {
    try values.value(of: sequence).allSatisfy { try values.binding(variable, to: $0).value(of: test) }
  }
}

extension PredicateExpressions.Filter: CarefulExpression {
  func value(_ values: CapturedValues) throws -> [LHS.Output.Element] {
    try values.value(of: sequence).filter { try values.binding(variable, to: $0).value(of: filter) }
  }
}

extension PredicateExpressions.CollectionIndexSubscript: CarefulExpression {
  func value(_ values: CapturedValues) throws -> Output {
    let collection = try values.value(of: wrapped)
    let index = try values.value(of: index)
    guard collection.indices.contains(index) else { throw CapturedFault("the index \(index) is out of range") }
    return collection[index]
  }
}

extension PredicateExpressions.SequenceMaximum: CarefulExpression {
  func value(_ values: CapturedValues) throws -> Output { try values.value(of: elements).max() }
}

extension PredicateExpressions.SequenceMinimum: CarefulExpression {
  func value(_ values: CapturedValues) throws -> Output { try values.value(of: elements).min() }
}
