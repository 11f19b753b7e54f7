import DataSourcesTestSupport
import FetchedResults
import Foundation
import TestSupport

typealias Tree<Output> = any StandardPredicateExpression<Output>

/// Predicates of any shape, built by the functions that the macro calls.
struct PredicateTrees {
  typealias P = PredicateExpressions

  var random: SeededGenerator
  let row: P.Variable<Thing>
  var texts = Edge.texts
  /// The captured value to be another one than usual.
  var changed: Int?
  /// How many values were captured.
  private(set) var captured = 0

  init(random: SeededGenerator, row: P.Variable<Thing>) { (self.random, self.row) = (random, row) }

  static func predicate(seed: UInt64) -> Predicate<Thing> {
    Predicate<Thing> { row in
      var trees = PredicateTrees(random: SeededGenerator(seed: seed), row: row)
      return trees.bool(4)
    }
  }

  /// The predicate of a seed, of which one captured value may be changed, and how many it captures.
  static func predicate(seed: UInt64, texts: [String], changing changed: Int?) -> (Predicate<Thing>, captured: Int) {
    var captured = 0
    let predicate = Predicate<Thing> { row in
      var trees = PredicateTrees(random: SeededGenerator(seed: seed), row: row)
      trees.texts = texts
      trees.changed = changed
      defer { captured = trees.captured }
      return trees.bool(4)
    }
    return (predicate, captured)
  }

  private mutating func capture<T>(_ choices: [T]) -> T {
    let index = random.below(choices.count)
    defer { captured += 1 }
    return choices[captured == changed ? (index + 1) % choices.count : index]
  }

  private mutating func captureMaybe<T>(_ choices: [T]) -> T? {
    let usual = random.maybe(choices)
    defer { captured += 1 }
    return captured == changed ? (usual == nil ? choices[0] : nil) : usual
  }

  private func path<V>(_ keyPath: any KeyPath<Thing, V> & Sendable) -> P.KeyPath<P.Variable<Thing>, V> {
    P.build_KeyPath(root: row, keyPath: keyPath)
  }

  mutating func bool(_ depth: Int) -> Tree<Bool> {
    guard depth > 0 else { return random.below(5) == 0 ? P.build_Arg(capture([true, false])) : path(\.done) }
    let next = depth - 1
    switch random.below(16) {
    case 0: return Build.and(bool(next), bool(next))
    case 1: return Build.or(bool(next), bool(next))
    case 2: return Build.not(bool(next))
    case 3: return Build.conditional(bool(next), bool(next), bool(next))
    case 4: return Build.equal(bool(next), bool(next), random.below(2) == 0)
    case 5: return Build.compare(int(next), int(next), op())
    case 6: return Build.equal(int(next), int(next), random.below(2) == 0)
    case 7: return Build.equal(maybeInt(next), maybeInt(next), random.below(2) == 0)
    case 8: return Build.compare(double(next), double(next), op())
    case 9: return Build.equal(double(next), double(next), random.below(2) == 0)
    case 10, 11: return Build.coalesce(maybeBool(next), bool(next))
    case 12: return Build.equal(maybeBool(next), maybeBool(next), random.below(2) == 0)
    case 13: return among(next)
    default: return texts(next)
    }
  }

  private mutating func among(_ depth: Int) -> Tree<Bool> {
    let kind = random.below(5)
    if kind == 1 {
      let maybes = (0..<random.below(3)).map { _ in captureMaybe(Edge.numbers) }
      return Build.contains(maybes, maybeInt(depth))
    }
    if kind == 2 {
      let number = capture(Edge.numbers)
      return Build.inRange(number...(number + 5), int(depth))
    }
    let numbers = numbers()
    switch kind {
    case 0: return Build.contains(numbers, int(depth))
    case 3: return Build.containsWhere(numbers, int(depth), bool(depth))
    default: return Build.allSatisfy(numbers, int(depth), bool(depth))
    }
  }

  private mutating func numbers() -> [Int] { (0..<random.below(3)).map { _ in capture(Edge.numbers) } }

  private mutating func texts(_ depth: Int) -> Tree<Bool> {
    switch random.below(5) {
    case 0: return Build.contains(text(depth), text(depth))
    case 1: return Build.starts(text(depth), text(depth))
    case 2: return Build.compare(text(depth), text(depth), op())
    case 3: return Build.equal(maybeText(depth), maybeText(depth), random.below(2) == 0)
    default: return Build.equal(text(depth), text(depth), random.below(2) == 0)
    }
  }

  private mutating func maybeBool(_ depth: Int) -> Tree<Bool?> {
    guard depth > 0 else { return random.below(4) == 0 ? P.build_Arg(captureMaybe([true, false])) : path(\.flag) }
    switch random.below(5) {
    case 4: return Build.mapContaining(maybeInt(depth - 1), numbers())
    case 0: return Build.mapComparing(maybeInt(depth - 1), int(depth - 1), op())
    case 1: return Build.mapBoth(maybeInt(depth - 1), bool(depth - 1))
    case 2: return Build.mapEither(maybeInt(depth - 1), bool(depth - 1))
    default: return Build.mapNot(maybeInt(depth - 1), bool(depth - 1))
    }
  }

  private mutating func int(_ depth: Int) -> Tree<Int> {
    guard depth > 0 else {
      switch random.below(4) {
      case 0: return P.build_Arg(capture(Edge.numbers))
      case 1: return P.build_KeyPath(root: path(\.place), keyPath: \.floor)
      default: return path(\.number)
      }
    }
    let next = depth - 1
    switch random.below(7) {
    case 0: return Build.arithmetic(int(next), int(next), random.pick([.add, .subtract, .multiply]))
    case 1: return Build.minus(int(next))
    case 2: return Build.divided(int(next), by: capture([1, 2, -3]))
    case 3: return Build.remainder(int(next), by: capture([1, 2, -3]))
    case 4: return Build.conditional(bool(next), int(next), int(next))
    default: return Build.coalesce(maybeInt(next), int(next))
    }
  }

  private mutating func maybeInt(_ depth: Int) -> Tree<Int?> {
    guard depth > 0 else {
      return random.below(4) == 0 ? P.build_Arg(captureMaybe(Edge.numbers)) : path(\.rank)
    }
    let next = depth - 1
    switch random.below(6) {
    case 4: return Build.mapCoalescing(maybeInt(next), maybeInt(next))
    case 0: return Build.conditional(bool(next), maybeInt(next), P.build_NilLiteral() as P.NilLiteral<Int>)
    case 1: return Build.mapAdding(maybeInt(next), int(next))
    case 2: return Build.mapChoosing(maybeInt(next), bool(next), int(next))
    case 3: return Build.mapMaybe(maybeInt(next), maybeInt(next))
    default: return maybeInt(0)
    }
  }

  private mutating func double(_ depth: Int) -> Tree<Double> {
    guard depth > 0 else {
      return random.below(4) == 0 ? P.build_Arg(capture(Edge.doubles)) : path(\.weight)
    }
    let next = depth - 1
    switch random.below(5) {
    case 0: return Build.arithmetic(double(next), double(next), random.pick([.add, .subtract, .multiply]))
    case 1: return Build.minus(double(next))
    case 2: return Build.divided(double(next), by: path(\.weight))  // by a column, as -0.0 divides otherwise
    case 3: return Build.conditional(bool(next), double(next), double(next))
    default: return Build.coalesce(path(\.ratio), double(next))
    }
  }

  private mutating func text(_ depth: Int) -> Tree<String> {
    guard depth > 0, random.below(2) == 0 else {
      return random.below(3) == 0 ? P.build_Arg(capture(texts)) : path(\.title)
    }
    let next = depth - 1
    return random.below(2) == 0
      ? Build.coalesce(maybeText(next), text(next)) : Build.conditional(bool(next), text(next), text(next))
  }

  private mutating func maybeText(_ depth: Int) -> Tree<String?> {
    guard depth > 0, random.below(3) == 0 else {
      return random.below(3) == 0 ? P.build_Arg(captureMaybe(texts)) : path(\.note)
    }
    return Build.conditional(bool(depth - 1), maybeText(0), maybeText(0))
  }

  private mutating func op() -> P.ComparisonOperator {
    random.pick([.lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual])
  }
}
