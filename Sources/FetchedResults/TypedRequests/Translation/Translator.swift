import SQLiteStore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Turns the expressions of a predicate into SQL. A value: what a closure binds is known to the copy that goes inside.
struct Translator {
  private let columnOf: (AnyKeyPath) -> SQL?
  private let unmapped: (AnyKeyPath) -> DatabaseError
  /// The variable that is the row.
  private(set) var row: PredicateExpressions.VariableID?
  /// The expression around the one that is being translated: what to name where a captured value is at fault.
  private var outer: (any PredicateExpression)?
  private var bound: [PredicateExpressions.VariableID: (term: Term, name: String)] = [:]

  init<E: MappedEntity>(_ entity: E.Type, alias: String?) {
    let columns = TypedColumns<E>(alias: alias)
    columnOf = { columns.sql(of: $0) }
    unmapped = { TypedColumns<E>.unmapped($0) }
  }

  func term<E>(of predicate: Predicate<E>) throws(DatabaseError) -> Term {
    var translator = self
    translator.row = predicate.variable.key
    do {
      return try translator.term(of: predicate.expression)
    } catch let error as DatabaseError {
      throw error
    } catch {
      throw DatabaseError(code: .misuse, message: "\(error)")
    }
  }

  /// An expression in SQL. What is the same for every row is worked out here and bound.
  func term(of expression: some PredicateExpression) throws -> Term {
    guard let translatable = expression as? any SQLTranslatable else {
      throw refusal(expression, "there is no SQL for it")
    }
    if let value = try captured(expression) { return try constant(value, expression) }
    var inner = self
    inner.outer = expression
    return try translatable.term(inner)
  }

  /// What an expression is for every row, or nil when that depends on the row.
  func captured<X: PredicateExpression>(_ expression: X) throws -> X.Output? {
    guard (expression as? any SQLTranslatable)?.isCaptured([]) ?? false else { return nil }
    do {
      return try expression.evaluate(PredicateBindings())
    } catch {
      throw refusal(expression, "it fails: \(error)")
    }
  }

  /// A value that is bound.
  func constant<T>(_ value: T, _ expression: some PredicateExpression) throws -> Term {
    let (kind, isOptional) = try kind(of: T.self, expression)
    var result = Term("", kind)
    result.isOptional = isOptional
    result.isReal = true
    let stored = try self.stored(value, kind, expression)
    result.constant = stored
    result.sql = "\(stored)"
    return result
  }

  /// What a value of a kind is in SQL, where it is compared.
  func stored(_ value: Any, _ kind: ValueKind, _ expression: some PredicateExpression) throws -> Value {
    if let optional = value as? any AnyOptional {
      guard let wrapped = optional.wrapped else { return .null }
      return try stored(wrapped, kind, expression)
    }
    let stored: Value
    if let date = value as? Date {
      stored = .real(date.timeIntervalSinceReferenceDate)
    } else if let convertible = value as? any ValueConvertible {
      do {
        stored = try convertible.databaseValue
      } catch {
        throw refusal(expression, "it can't be stored: \((error as? DatabaseError)?.message ?? "\(error)")")
      }
    } else {
      throw refusal(expression, "a \(type(of: value)) is not stored in a column")
    }
    if stored.isNull { throw refusal(expression, "SQL has no such value: it is stored as NULL") }
    if case .real(let real) = stored, real.isNaN { throw refusal(expression, "SQL has no NaN") }
    return stored
  }

  /// The column that a key path from the row leads to.
  func column(of path: AnyKeyPath) -> SQL? { columnOf(path) }

  /// Why a key path that leads nowhere else can't be translated.
  func noColumn(_ path: AnyKeyPath, _ expression: some PredicateExpression) -> DatabaseError {
    refusal(expression, unmapped(path).message)
  }

  func kind(of type: Any.Type, _ expression: some PredicateExpression) throws -> (kind: ValueKind, isOptional: Bool) {
    if let known = ValueKind.of(type) { return known }
    throw refusal(expression, "SQLite can't tell when one \(type) is equal to another")
  }

  // MARK: Variables of closures

  func binding(_ variable: PredicateExpressions.VariableID, to term: Term, named name: String) -> Translator {
    var inner = self
    inner.bound[variable] = (term, name)
    return inner
  }

  func term(of variable: PredicateExpressions.VariableID) -> Term? { bound[variable]?.term }

  func name(of variable: PredicateExpressions.VariableID) -> String { bound[variable]?.name ?? "$0" }

  // MARK: Words

  /// An expression as it may have been written.
  func swift(_ expression: some PredicateExpression) -> String {
    guard let translatable = expression as? any SQLTranslatable else {
      let name = "\(type(of: expression))"
      return "the expression \(name.prefix { $0 != "<" })"
    }
    return translatable.swift(self)
  }

  func refusal(_ expression: some PredicateExpression, _ reason: String) -> DatabaseError {
    let isCaptured = (expression as? any SQLTranslatable)?.isCaptured([]) ?? false
    return DatabaseError(
      code: .misuse,
      message:
        "\(isCaptured ? outer.map { swift($0) } ?? swift(expression) : swift(expression)) can't be translated into SQL: \(reason); write the condition in SQL, with `where:`"
    )
  }
}
