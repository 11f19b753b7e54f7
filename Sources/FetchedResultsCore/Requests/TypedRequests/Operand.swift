#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// `&&` or `||`. A chain of them is taken apart by a loop, because a program may combine thousands of conditions.
package protocol ChainExpression: PredicateExpression where Output == Bool {
  /// The operator.
  static var joint: Joint { get }
  /// The two sides of the expression at an address; nil if they can't be reached without copying.
  static func sides(at pointer: UnsafeRawPointer) -> (left: Operand, right: Operand)?
  /// The left side, copied.
  var left: any PredicateExpression<Bool> { get }
  /// The right side, copied.
  var right: any PredicateExpression<Bool> { get }
}

/// The operator that joins the operands of a chain.
package enum Joint {
  case and, or

  /// The truth value of an operand that decides the whole chain.
  package var deciding: Bool { self == .or }
}

/// A part of a chain, in place. Copying a side of a long chain copies all of it, so parts are accessed by their
/// addresses.
package struct Operand {
  private enum Place {
    case address(UnsafeRawPointer, any PredicateExpression<Bool>.Type)
    case copy(any PredicateExpression<Bool>)
  }

  private let place: Place

  init<X: PredicateExpression>(_ pointer: UnsafeRawPointer, _: X.Type) where X.Output == Bool {
    place = .address(pointer, X.self)
  }

  private init(_ copy: any PredicateExpression<Bool>) { place = .copy(copy) }

  private var type: any PredicateExpression<Bool>.Type {
    switch place {
    case .address(_, let type): type
    case .copy(let copy): Swift.type(of: copy)
    }
  }

  /// The expression, copied.
  package var expression: any PredicateExpression<Bool> {
    switch place {
    case .address(let pointer, let type): Self.load(pointer, type)
    case .copy(let copy): copy
    }
  }

  private static func load<X: PredicateExpression>(_ pointer: UnsafeRawPointer, _: X.Type) -> any PredicateExpression<
    Bool
  >
  where X.Output == Bool {
    pointer.assumingMemoryBound(to: X.self).pointee
  }

  /// The two sides, if this is a chain of the same operator.
  private func sides(_ joint: Joint) -> (left: Operand, right: Operand)? {
    guard let chain = type as? any ChainExpression.Type, chain.joint == joint else { return nil }
    if case .address(let pointer, _) = place, let sides = chain.sides(at: pointer) { return sides }
    guard let chain = expression as? any ChainExpression else { return nil }
    return (Operand(chain.left), Operand(chain.right))
  }

  /// Calls `body` with all operands of a chain, from left to right.
  package static func all<C: ChainExpression, T>(of chain: C, _ body: ([Operand]) throws -> T) rethrows -> T {
    try withUnsafePointer(to: chain) { pointer in
      var operands: [Operand] = []
      var waiting = [Operand(UnsafeRawPointer(pointer), C.self)]
      while let next = waiting.popLast() {
        if let (left, right) = next.sides(C.joint) {
          waiting.append(right)
          waiting.append(left)
        } else {
          operands.append(next)
        }
      }
      return try body(operands)
    }
  }
}

extension PredicateExpressions.Conjunction: ChainExpression {
  package static var joint: Joint { .and }
  package var left: any PredicateExpression<Bool> { lhs }
  package var right: any PredicateExpression<Bool> { rhs }

  package static func sides(at pointer: UnsafeRawPointer) -> (left: Operand, right: Operand)? {
    guard let left = MemoryLayout<Self>.offset(of: \.lhs), let right = MemoryLayout<Self>.offset(of: \.rhs) else {
      return nil
    }
    return (Operand(pointer + left, LHS.self), Operand(pointer + right, RHS.self))
  }
}

extension PredicateExpressions.Disjunction: ChainExpression {
  package static var joint: Joint { .or }
  package var left: any PredicateExpression<Bool> { lhs }
  package var right: any PredicateExpression<Bool> { rhs }

  package static func sides(at pointer: UnsafeRawPointer) -> (left: Operand, right: Operand)? {
    guard let left = MemoryLayout<Self>.offset(of: \.lhs), let right = MemoryLayout<Self>.offset(of: \.rhs) else {
      return nil
    }
    return (Operand(pointer + left, LHS.self), Operand(pointer + right, RHS.self))
  }
}

/// A variable of whichever type: the row, or the parameter of a closure.
package protocol AnyVariable {
  var key: PredicateExpressions.VariableID { get }
}

extension PredicateExpressions.Variable: AnyVariable {}
