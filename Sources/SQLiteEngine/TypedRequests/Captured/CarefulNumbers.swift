#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// An operation on integers that may have no result.
private enum Operation {
  case add, subtract, multiply, divide, remainder

  func callAsFunction<N>(_ left: N, _ right: N) throws -> N? {
    guard let integer = left as? any FixedWidthInteger else { return nil }
    return try open(integer, right) as? N
  }

  private func open<I: FixedWidthInteger>(_ left: I, _ right: Any) throws -> I {
    guard let right = right as? I else { throw CapturedFault("\(right) is no \(I.self)") }
    if right == 0, self == .divide || self == .remainder { throw CapturedFault("a division of \(left) by zero") }
    let (result, isOverflow) =
      switch self {
      case .add: left.addingReportingOverflow(right)
      case .subtract: left.subtractingReportingOverflow(right)
      case .multiply: left.multipliedReportingOverflow(by: right)
      case .divide: left.dividedReportingOverflow(by: right)
      case .remainder: left.remainderReportingOverflow(dividingBy: right)
      }
    if isOverflow { throw CapturedFault("the result is beyond \(I.self)") }
    return result
  }
}

extension PredicateExpressions.Arithmetic: CarefulExpression {
  func value(_ values: CapturedValues) throws -> Output {
    let (left, right) = (try values.value(of: lhs), try values.value(of: rhs))
    switch op {
    case .add: return try Operation.add(left, right) ?? left + right
    case .subtract: return try Operation.subtract(left, right) ?? left - right
    case .multiply: return try Operation.multiply(left, right) ?? left * right
    @unknown default: throw CapturedFault("an operator that Foundation has added since")
    }
  }
}

extension PredicateExpressions.UnaryMinus: CarefulExpression {
  func value(_ values: CapturedValues) throws -> Output {
    let value = try values.value(of: wrapped)
    return try Operation.subtract(0, value) ?? -value
  }
}

extension PredicateExpressions.IntDivision: CarefulExpression {
  func value(_ values: CapturedValues) throws -> Output {
    let (left, right) = (try values.value(of: lhs), try values.value(of: rhs))
    return try Operation.divide(left, right) ?? left / right
  }
}

extension PredicateExpressions.IntRemainder: CarefulExpression {
  func value(_ values: CapturedValues) throws -> Output {
    let (left, right) = (try values.value(of: lhs), try values.value(of: rhs))
    return try Operation.remainder(left, right) ?? left % right
  }
}

extension PredicateExpressions.FloatDivision: CarefulExpression {
  func value(_ values: CapturedValues) throws -> Output { try values.value(of: lhs) / values.value(of: rhs) }
}

extension PredicateExpressions.Range: CarefulExpression {
  func value(_ values: CapturedValues) throws -> Output {
    let (lower, upper) = (try values.value(of: lower), try values.value(of: upper))
    guard lower <= upper else {
      throw CapturedFault(
        "a range whose ends, \(CapturedFault.shown(lower)) and \(CapturedFault.shown(upper)), are out of order")
    }
    return lower..<upper
  }
}

extension PredicateExpressions.ClosedRange: CarefulExpression {
  func value(_ values: CapturedValues) throws -> Output {
    let (lower, upper) = (try values.value(of: lower), try values.value(of: upper))
    guard lower <= upper else {
      throw CapturedFault(
        "a range whose ends, \(CapturedFault.shown(lower)) and \(CapturedFault.shown(upper)), are out of order")
    }
    return lower...upper
  }
}

extension PredicateExpressions.RangeExpressionContains: CarefulExpression {
  func value(_ values: CapturedValues) throws -> Bool {
    let range = try values.value(of: range)
    return range.contains(try values.value(of: element))
  }
}

extension PredicateExpressions.Comparison: CarefulExpression {
  func value(_ values: CapturedValues) throws -> Bool {
    let (left, right) = (try values.value(of: lhs), try values.value(of: rhs))
    switch op {
    case .lessThan: return left < right
    case .lessThanOrEqual: return left <= right
    case .greaterThan: return left > right
    case .greaterThanOrEqual: return left >= right
    @unknown default: throw CapturedFault("a comparison that Foundation has added since")
    }
  }
}

extension PredicateExpressions.Equal: CarefulExpression {
  func value(_ values: CapturedValues) throws -> Bool { try values.value(of: lhs) == values.value(of: rhs) }
}

extension PredicateExpressions.NotEqual: CarefulExpression {
  func value(_ values: CapturedValues) throws -> Bool { try values.value(of: lhs) != values.value(of: rhs) }
}
