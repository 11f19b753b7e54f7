#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// What captured parts of a predicate are, worked out as Swift does and without stopping the program where Swift would.
///
/// Foundation's own evaluation traps at an overflow, a division by zero, and a range whose ends are out of order. A
/// request is translated before it is known whether any row reaches such a part, so here they are errors.
struct CapturedValues {
  /// The variables of closures whose values are known.
  private(set) var bindings = PredicateBindings()
  private(set) var known: Set<PredicateExpressions.VariableID> = []

  /// These values and that of another variable.
  func binding<T>(_ variable: PredicateExpressions.Variable<T>, to value: T) -> CapturedValues {
    var inner = self
    inner.bindings[variable] = value
    inner.known.insert(variable.key)
    return inner
  }

  /// The value of an expression; throws where Swift would fail or stop.
  func value<X: PredicateExpression>(of expression: X) throws -> X.Output {
    guard let careful = expression as? any CarefulExpression else { return try expression.evaluate(bindings) }
    return try open(careful)
  }

  private func open<X: CarefulExpression, T>(_ expression: X) throws -> T {
    let value = try expression.value(self)
    guard let output = value as? T else { throw CapturedFault("its value is no \(T.self)") }
    return output
  }

  /// Whether an expression is the same for every row.
  static func isCaptured(_ expression: some PredicateExpression, _ known: Set<PredicateExpressions.VariableID>) -> Bool
  {
    if let translatable = expression as? any SQLTranslatable { return translatable.isCaptured(known) }
    // Other expressions have no SQL, but a value where all that they are made of has one.
    var inner = known
    var parts: [any PredicateExpression] = []
    for child in Mirror(reflecting: expression).children {
      if child.label == "variable", let variable = child.value as? any AnyVariable {
        inner.insert(variable.key)
      } else if let part = child.value as? any PredicateExpression {
        parts.append(part)
      }
    }
    return parts.allSatisfy { isCaptured($0, inner) }
  }
}

protocol AnyVariable {
  var key: PredicateExpressions.VariableID { get }
}
extension PredicateExpressions.Variable: AnyVariable {}

/// An expression that is worked out here, because it may stop the program or is made of parts that may.
protocol CarefulExpression: PredicateExpression {
  func value(_ values: CapturedValues) throws -> Output
}

/// Why a captured part has no value.
struct CapturedFault: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}
