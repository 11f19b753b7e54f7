import FetchedResultsCore
import RowModel

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension PredicateExpressions.NilLiteral: SQLTranslatable {
  var parts: [any PredicateExpression] { [] }

  // Never called, because it is the same for every row.
  func term(_ translator: Translator) throws -> Term { try translator.constant(nil as Wrapped?, self) }

  func swift(_ translator: Translator) -> String { "nil" }
}

extension PredicateExpressions.ForcedUnwrap: SQLTranslatable {
  var parts: [any PredicateExpression] { [inner] }

  /// In Swift it fails for nil. Here a comparison with it is false, so that `$0.due != nil && $0.due! < now` means what
  /// it says, whichever side SQLite evaluates first.
  func term(_ translator: Translator) throws -> Term {
    _ = try translator.kind(of: Inner.Output.self, self)
    var term = try translator.term(of: inner)
    term.isOptional = false
    term.mayBeNull = true
    return term
  }

  func swift(_ translator: Translator) -> String { "\(translator.swift(inner))!" }
}

extension PredicateExpressions.NilCoalesce: SQLTranslatable {
  var parts: [any PredicateExpression] { [lhs, rhs] }

  func term(_ translator: Translator) throws -> Term {
    let (kind, isOptional) = try translator.kind(of: Output.self, self)
    guard !isOptional else {
      throw translator.refusal(self, "SQL has one NULL, and no nil in an optional of an optional")
    }
    var left = try translator.term(of: lhs)
    if let constant = left.constant {
      if constant.isNull { return try translator.term(of: rhs) }
      left.isOptional = false
      return left
    }
    var reached = translator
    reached.isCertain = false
    let right = try reached.term(of: rhs)
    if kind == .bool, right.constant == .integer(0) {
      // A condition that is NULL counts as false, so nothing has to be added, and an index can be used.
      left.isOptional = false
      left.mayBeNull = true
      return left
    }
    var result = Term("COALESCE(\(left.sql), \(right.sql))", kind)
    result.mayBeNull = right.mayBeNull
    result.mayBeNaN = right.mayBeNaN
    result.isReal = left.isReal && right.isReal
    result.strict = left.strict.intersection(right.strict)
    return result
  }

  func swift(_ translator: Translator) -> String { "(\(translator.swift(lhs)) ?? \(translator.swift(rhs)))" }
}

/// `?.`, `flatMap` and `if let`.
extension PredicateExpressions.OptionalFlatMap: SQLTranslatable {
  var parts: [any PredicateExpression] { [wrapped, transform] }

  func isCaptured(_ inner: Set<PredicateExpressions.VariableID>) -> Bool {
    CapturedValues.isCaptured(wrapped, inner) && CapturedValues.isCaptured(transform, inner.union([variable.key]))
  }

  func term(_ translator: Translator) throws -> Term {
    let (kind, _) = try translator.kind(of: Output.self, self)
    if let known = try translator.captured(wrapped) {
      guard let value = known else {
        var nothing = Term("NULL", kind)
        nothing.isOptional = true
        nothing.constant = .null
        return nothing
      }
      var result = try translator.binding(variable, toValue: value, named: "\(translator.swift(wrapped))?").term(
        of: transform)
      if result.mayBeNaN { throw translator.refusal(self, "it may be a NaN, which SQL takes for nil") }
      if result.kind == .bool, result.mayBeNull, !result.isOptional { result.sql = result.value }
      result.isOptional = true
      result.mayBeNull = false
      return result
    }
    if let prefix = (wrapped as? any RowPath)?.unmappedPath(translator) {
      return try term(
        translator.binding(variable.key, toPath: prefix + "?", named: "\(translator.swift(wrapped))?"), of: kind)
    }
    _ = try translator.kind(of: LHS.Output.self, self)
    let outer = try translator.term(of: wrapped)
    var reached = translator
    reached.isCertain = false
    let inner = try self.inner(reached, outer).term(of: transform)
    if inner.mayBeNaN { throw translator.refusal(self, "it may be a NaN, which SQL takes for nil") }
    // In an optional, NULL means nil, and a condition that is NULL because a value is missing is false.
    let value = inner.value
    let isStrict = inner.strict.contains(variable.key) && !(kind == .bool && inner.mayBeNull)
    var result = Term(isStrict ? value : "(CASE WHEN \(outer.column ?? outer.sql) IS NOT NULL THEN \(value) END)", kind)
    result.isOptional = true
    result.isReal = inner.isReal
    result.strict = outer.strict
    return result
  }

  /// The closure over an optional property that has no column of its own: its properties' columns are NULL if it is
  /// nil.
  private func term(_ translator: Translator, of kind: ValueKind) throws -> Term {
    var reached = translator
    reached.isCertain = false
    var inner = try reached.term(of: transform)
    guard inner.strict.contains(variable.key), !inner.mayBeNaN, !(kind == .bool && inner.mayBeNull) else {
      throw translator.refusal(self, "whether \(translator.name(of: variable.key)) is nil can't be told by its columns")
    }
    inner.strict.remove(variable.key)
    inner.isOptional = true
    inner.mayBeNull = false
    return inner
  }

  /// The translator inside the closure, where the value exists.
  private func inner(_ translator: Translator, _ outer: Term) -> Translator {
    var value = outer
    value.isOptional = false
    value.strict.insert(variable.key)
    return translator.binding(variable.key, to: value, named: "\(translator.swift(wrapped))?")
  }

  func swift(_ translator: Translator) -> String {
    translator.binding(variable.key, to: .always(true), named: "\(translator.swift(wrapped))?").swift(transform)
  }
}
