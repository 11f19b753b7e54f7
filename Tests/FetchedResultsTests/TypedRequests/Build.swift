import Foundation

/// Opens trees of any type for the generic functions that the macro calls.
enum Build {
  typealias P = PredicateExpressions
  typealias Of = StandardPredicateExpression

  static func and(_ left: some Of<Bool>, _ right: some Of<Bool>) -> Tree<Bool> {
    P.build_Conjunction(lhs: left, rhs: right)
  }

  static func or(_ left: some Of<Bool>, _ right: some Of<Bool>) -> Tree<Bool> {
    P.build_Disjunction(lhs: left, rhs: right)
  }

  static func not(_ one: some Of<Bool>) -> Tree<Bool> { P.build_Negation(one) }

  static func equal<V: Equatable>(_ left: some Of<V>, _ right: some Of<V>, _ negated: Bool) -> Tree<Bool> {
    negated ? P.build_NotEqual(lhs: left, rhs: right) : P.build_Equal(lhs: left, rhs: right)
  }

  static func compare<V: Comparable>(_ left: some Of<V>, _ right: some Of<V>, _ op: P.ComparisonOperator) -> Tree<Bool>
  {
    P.build_Comparison(lhs: left, rhs: right, op: op)
  }

  static func conditional<V>(_ test: some Of<Bool>, _ yes: some Of<V>, _ no: some Of<V>) -> Tree<V> {
    P.build_Conditional(test, yes, no)
  }

  static func coalesce<V>(_ left: some Of<V?>, _ right: some Of<V>) -> Tree<V> {
    P.build_NilCoalesce(lhs: left, rhs: right)
  }

  static func arithmetic<V: Numeric>(_ left: some Of<V>, _ right: some Of<V>, _ op: P.ArithmeticOperator) -> Tree<V> {
    P.build_Arithmetic(lhs: left, rhs: right, op: op)
  }

  static func minus<V: SignedNumeric>(_ one: some Of<V>) -> Tree<V> { P.build_UnaryMinus(one) }

  static func divided(_ left: some Of<Int>, by right: Int) -> Tree<Int> {
    P.build_Division(lhs: left, rhs: P.build_Arg(right))
  }

  static func remainder(_ left: some Of<Int>, by right: Int) -> Tree<Int> {
    P.build_Remainder(lhs: left, rhs: P.build_Arg(right))
  }

  static func divided(_ left: some Of<Double>, by right: some Of<Double>) -> Tree<Double> {
    P.build_Division(lhs: left, rhs: right)
  }

  static func contains(_ text: some Of<String>, _ part: some Of<String>) -> Tree<Bool> { P.build_contains(text, part) }

  static func starts(_ text: some Of<String>, _ prefix: some Of<String>) -> Tree<Bool> {
    P.build_starts(text, with: prefix)
  }

  static func contains<V: Equatable & Codable & Sendable>(_ values: [V], _ one: some Of<V>) -> Tree<Bool> {
    P.build_contains(P.build_Arg(values), one)
  }

  static func inRange(_ range: ClosedRange<Int>, _ one: some Of<Int>) -> Tree<Bool> {
    P.build_contains(P.build_Arg(range), one)
  }

  static func containsWhere(_ values: [Int], _ int: some Of<Int>, _ bool: some Of<Bool>) -> Tree<Bool> {
    P.build_contains(P.build_Arg(values)) { one in
      P.build_Conjunction(lhs: P.build_Comparison(lhs: one, rhs: int, op: .lessThan), rhs: bool)
    }
  }

  static func allSatisfy(_ values: [Int], _ int: some Of<Int>, _ bool: some Of<Bool>) -> Tree<Bool> {
    P.build_allSatisfy(P.build_Arg(values)) { one in
      P.build_Disjunction(lhs: P.build_NotEqual(lhs: one, rhs: int), rhs: bool)
    }
  }

  static func mapComparing(_ maybe: some Of<Int?>, _ int: some Of<Int>, _ op: P.ComparisonOperator) -> Tree<Bool?> {
    P.build_flatMap(maybe) { P.build_Comparison(lhs: $0, rhs: int, op: op) }
  }

  static func mapContaining(_ maybe: some Of<Int?>, _ values: [Int]) -> Tree<Bool?> {
    P.build_flatMap(maybe) { P.build_contains(P.build_Arg(values), $0) }
  }

  static func mapBoth(_ maybe: some Of<Int?>, _ bool: some Of<Bool>) -> Tree<Bool?> {
    P.build_flatMap(maybe) { one in
      P.build_Conjunction(lhs: P.build_Comparison(lhs: one, rhs: P.build_Arg(1), op: .greaterThan), rhs: bool)
    }
  }

  static func mapEither(_ maybe: some Of<Int?>, _ bool: some Of<Bool>) -> Tree<Bool?> {
    P.build_flatMap(maybe) { one in
      P.build_Disjunction(lhs: bool, rhs: P.build_Equal(lhs: one, rhs: P.build_Arg(2)))
    }
  }

  static func mapNot(_ maybe: some Of<Int?>, _ bool: some Of<Bool>) -> Tree<Bool?> {
    P.build_flatMap(maybe) { one in
      P.build_Negation(
        P.build_Conjunction(lhs: bool, rhs: P.build_Comparison(lhs: one, rhs: P.build_Arg(0), op: .lessThan)))
    }
  }

  static func mapAdding(_ maybe: some Of<Int?>, _ int: some Of<Int>) -> Tree<Int?> {
    P.build_flatMap(maybe) { P.build_Arithmetic(lhs: $0, rhs: int, op: .add) }
  }

  static func mapChoosing(_ maybe: some Of<Int?>, _ bool: some Of<Bool>, _ int: some Of<Int>) -> Tree<Int?> {
    P.build_flatMap(maybe) { P.build_Conditional(bool, $0, int) }
  }

  static func mapCoalescing(_ maybe: some Of<Int?>, _ other: some Of<Int?>) -> Tree<Int?> {
    P.build_flatMap(maybe) { P.build_NilCoalesce(lhs: other, rhs: $0) }
  }

  static func mapMaybe(_ maybe: some Of<Int?>, _ other: some Of<Int?>) -> Tree<Int?> {
    P.build_flatMap(maybe) { one in
      P.build_flatMap(other) { P.build_Arithmetic(lhs: $0, rhs: one, op: .multiply) }
    }
  }
}
