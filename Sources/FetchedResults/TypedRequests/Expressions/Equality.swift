import SQLiteStore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension PredicateExpressions.Equal: SQLTranslatable {
  var parts: [any PredicateExpression] { [lhs, rhs] }

  func term(_ translator: Translator) throws -> Term {
    _ = try translator.kind(of: LHS.Output.self, self)
    return .equal(try translator.term(of: lhs), try translator.term(of: rhs))
  }

  func swift(_ translator: Translator) -> String { "\(translator.swift(lhs)) == \(translator.swift(rhs))" }
}

extension PredicateExpressions.NotEqual: SQLTranslatable {
  var parts: [any PredicateExpression] { [lhs, rhs] }

  func term(_ translator: Translator) throws -> Term {
    _ = try translator.kind(of: LHS.Output.self, self)
    return .unequal(try translator.term(of: lhs), try translator.term(of: rhs))
  }

  func swift(_ translator: Translator) -> String { "\(translator.swift(lhs)) != \(translator.swift(rhs))" }
}

extension Term {
  /// `==`. With a nil on either side, Swift says false or true and never neither.
  static func equal(_ left: Term, _ right: Term) -> Term {
    if left.constant != nil, right.constant == nil { return equal(right, left) }
    if right.constant == .null { return Term("(\(left.column ?? left.sql) IS NULL)", .bool) }
    if left.kind == .uuid, let uuid = right.constant {
      return condition("(\(left.sql) IN \(ValueKind.forms(of: uuid)))", on: left)
    }
    if left.kind == .bool, !left.isOptional, let truth = right.constant {
      return truth == .integer(0) ? not(left) : left
    }
    // NULL where the left side is nil: false, as it should be, and an index serves it.
    if !left.isOptional || right.constant != nil {
      return condition("(\(left.collated) = \(right.value))", on: left, right)
    }
    return Term("(\(left.collated) IS \(right.value))", .bool)
  }

  /// `!=`.
  static func unequal(_ left: Term, _ right: Term) -> Term {
    if left.constant != nil, right.constant == nil { return unequal(right, left) }
    if right.constant == .null { return Term("(\(left.column ?? left.sql) IS NOT NULL)", .bool) }
    let isPlain = left.kind != .uuid && left.kind != .bool && !left.mayBeNull && !right.mayBeNull
    guard isPlain else { return not(equal(left, right)) }
    if left.isOptional { return Term("(\(left.collated) IS NOT \(right.sql))", .bool) }
    return condition("(\(left.collated) <> \(right.sql))", on: left, right)
  }
}
