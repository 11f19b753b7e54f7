import FetchedResultsCore
import RowModel

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The values of captured parts of a predicate, evaluated as Swift does, but with errors where Swift would stop the
/// program.
///
/// Foundation's own evaluation traps at an overflow, a division by zero, and a range whose bounds are out of order. A
/// request is translated before it is known whether any row reaches such a part, so here they are errors.
struct CapturedValues {
  /// The variables of closures whose values are known.
  private(set) var bindings = PredicateBindings()
  private(set) var known: Set<PredicateExpressions.VariableID> = []

  /// These values plus that of another variable.
  func binding<T>(_ variable: PredicateExpressions.Variable<T>, to value: T) -> CapturedValues {
    var inner = self
    inner.bindings[variable] = value
    inner.known.insert(variable.key)
    return inner
  }

  /// The value of an expression; throws where Swift would fail or stop.
  func value<X: PredicateExpression>(of expression: X) throws -> X.Output {
    if let careful = expression as? any CarefulExpression { return try open(careful) }
    // Foundation evaluates the parts again. Anything that would stop the program there has failed here before.
    for part in Self.parts(of: expression).all { _ = try value(ofAny: part) }
    return try expression.evaluate(bindings)
  }

  private func value(ofAny expression: any PredicateExpression) throws -> Any { try value(of: expression) }

  private func open<X: CarefulExpression, T>(_ expression: X) throws -> T {
    let value = try expression.value(self)
    guard let output = value as? T else { throw CapturedFault("its value is no \(T.self)") }
    return output
  }

  /// Whether an expression is the same for every row.
  static func isCaptured(_ expression: some PredicateExpression, _ known: Set<PredicateExpressions.VariableID>) -> Bool
  {
    if let translatable = expression as? any SQLTranslatable { return translatable.isCaptured(known) }
    // Other expressions have no SQL, but a value if all their parts have one.
    let (parts, variables) = parts(of: expression)
    let inner = known.union(variables)
    return parts.allSatisfy { isCaptured($0, inner) }
  }

  /// The parts of an expression, and the variables of its closure.
  private static func parts(
    of expression: some PredicateExpression
  ) -> (all: [any PredicateExpression], variables: Set<PredicateExpressions.VariableID>) {
    if let translatable = expression as? any SQLTranslatable { return (translatable.parts, []) }
    var parts: [any PredicateExpression] = []
    var variables: Set<PredicateExpressions.VariableID> = []
    func look(_ label: String?, _ value: Any) {
      if label == "variable", let variable = value as? any AnyVariable {
        variables.insert(variable.key)
      } else if let part = value as? any PredicateExpression {
        parts.append(part)
      } else if case let mirror = Mirror(reflecting: value), mirror.displayStyle == .tuple {
        for child in mirror.children { look(child.label, child.value) }
      }
    }
    for child in Mirror(reflecting: expression).children { look(child.label, child.value) }
    return (parts, variables)
  }
}

/// An expression that is evaluated here, because it may stop the program or has parts that may.
protocol CarefulExpression: PredicateExpression {
  func value(_ values: CapturedValues) throws -> Output
}

/// Why a captured part has no value.
struct CapturedFault: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }

  /// A value for a message. Foundation stops the program for the description of a date that is not finite.
  static func shown(_ value: Any) -> String { (value as? Date).map { "\($0.databaseValue)" } ?? "\(value)" }
}
