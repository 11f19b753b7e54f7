#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

// Expressions at which Foundation stops the program, or which it reaches only for some values.

extension PredicateExpressions.SequenceStartsWith: CarefulExpression {
  func value(_ values: CapturedValues) throws -> Bool {
    let base = try values.value(of: base)
    return base.starts(with: try values.value(of: prefix))
  }
}

extension PredicateExpressions.CollectionRangeSubscript: CarefulExpression {
  func value(_ values: CapturedValues) throws -> Output {
    let collection = try values.value(of: wrapped)
    let range = try values.value(of: range)
    guard range.lowerBound >= collection.startIndex, range.upperBound <= collection.endIndex else {
      throw CapturedFault("the range \(range) is out of bounds")
    }
    return collection[range]
  }
}

extension PredicateExpressions.DictionaryKeySubscript: CarefulExpression {
  func value(_ values: CapturedValues) throws -> Output {
    let dictionary = try values.value(of: wrapped)
    return dictionary[try values.value(of: key)]
  }
}

extension PredicateExpressions.DictionaryKeyDefaultValueSubscript: CarefulExpression {
  func value(_ values: CapturedValues) throws -> Output {
    let dictionary = try values.value(of: wrapped)
    // Swift reaches the default only if the key is missing.
    return try dictionary[values.value(of: key)] ?? values.value(of: `default`)
  }
}

extension PredicateExpressions.ConditionalCast: CarefulExpression {
  func value(_ values: CapturedValues) throws -> Output { try values.value(of: input) as? Desired }
}

extension PredicateExpressions.ForceCast: CarefulExpression {
  func value(_ values: CapturedValues) throws -> Output {
    let value = try values.value(of: input)
    guard let output = value as? Desired else { throw CapturedFault("its value is no \(Desired.self)") }
    return output
  }
}

extension PredicateExpressions.TypeCheck: CarefulExpression {
  func value(_ values: CapturedValues) throws -> Bool { try values.value(of: input) is Desired }
}
