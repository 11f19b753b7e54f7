import FetchedResultsCore
import FetchedResultsSupport
import RowModel

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Translates the expressions of a predicate to SQL. A value type: the copy for a closure knows what the closure binds.
struct Translator {
  private let columnOf: (AnyKeyPath) -> SQL?
  private let columnSpelled: (String) -> SQL?
  private let unmapped: (AnyKeyPath) -> DatabaseError
  /// The variable for the row.
  private(set) var row: PredicateExpressions.VariableID?
  /// Whether Swift reaches this place for every row. If not, a captured part that fails does so for some rows only, or
  /// for none.
  var isCertain = true
  /// The variables of closures whose values were captured.
  private(set) var values = CapturedValues()
  /// The expression around the one that is being translated, to name it if a captured value is wrong.
  private var outer: (any PredicateExpression)?
  private var bound: [PredicateExpressions.VariableID: (term: Term, name: () -> String)] = [:]
  /// The variables for optional properties of the row that have columns only for their own properties, by their
  /// spelling.
  private var prefixes: [PredicateExpressions.VariableID: String] = [:]

  init<E: MappedEntity>(_ entity: E.Type, alias: String?) {
    let columns = TypedColumns<E>(alias: alias)
    columnOf = { columns.sql(of: $0) }
    columnSpelled = { columns.sql(spelled: $0) }
    unmapped = { TypedColumns<E>.unmapped($0) }
  }

  func term<E>(of predicate: Predicate<E>) throws(DatabaseError) -> Term {
    var translator = self
    translator.row = predicate.variable.key
    do {
      return try translator.term(ofAny: predicate.expression)
    } catch let error as DatabaseError {
      throw error
    } catch let failure as CapturedFailure {
      throw failure.error
    } catch {
      throw DatabaseError(code: .misuse, message: "\(error)")
    }
  }

  /// A captured part that fails if it is reached.
  struct CapturedFailure: Error {
    let error: DatabaseError
  }

  func term(ofAny expression: any PredicateExpression) throws -> Term { try term(of: expression) }

  /// Translates an expression. If it is the same for every row, it is evaluated here and bound.
  func term<X: PredicateExpression>(of expression: X) throws -> Term {
    // A chain checks its operands one by one.
    if let chain = expression as? any TranslatableChain { return try chain.term(self) }
    do {
      if CapturedValues.isCaptured(expression, values.known) {
        return try constant(try value(of: expression), expression)
      }
      guard let translatable = expression as? any SQLTranslatable else {
        throw refusal(expression, "there is no SQL for it")
      }
      var inner = self
      inner.outer = expression
      return try translatable.term(inner)
    } catch let failure as CapturedFailure {
      // Swift would stop at the rows that reach it. Here those rows are not found.
      guard !isCertain, let (kind, isOptional) = ValueKind.of(X.Output.self) else { throw failure }
      var nothing = Term("NULL", kind)
      nothing.isOptional = isOptional
      nothing.mayBeNull = true
      return nothing
    }
  }

  /// The value of an expression for every row, or nil if it depends on the row.
  func captured<X: PredicateExpression>(_ expression: X) throws -> X.Output? {
    CapturedValues.isCaptured(expression, values.known) ? try value(of: expression) : nil
  }

  private func value<X: PredicateExpression>(of expression: X) throws -> X.Output {
    do {
      return try values.value(of: expression)
    } catch {
      throw CapturedFailure(error: refusal(expression, "it fails: \(error)"))
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
    result.instance = value as? any ValueConvertible
    result.sql = "\(stored)"
    return result
  }

  /// The SQL value of a captured value of a kind, for a comparison.
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
    if case .real(let real) = stored, real.isNaN { throw refusal(expression, "SQL has no NaN: it is stored as NULL") }
    return stored
  }

  /// The column that a key path from the row leads to.
  func column(of path: AnyKeyPath) -> SQL? { columnOf(path) }

  /// The column of a path through an optional, by its spelling: such key paths can't be composed.
  func column(spelled path: String) -> SQL? { columnSpelled(path) }

  /// The error for a key path that has no column.
  func noColumn(_ path: AnyKeyPath, _ expression: some PredicateExpression) -> DatabaseError {
    refusal(expression, unmapped(path).message)
  }

  func kind(of type: Any.Type, _ expression: some PredicateExpression) throws -> (kind: ValueKind, isOptional: Bool) {
    if let known = ValueKind.of(type) { return known }
    throw refusal(expression, "SQLite can't tell when one \(type) is equal to another")
  }

  // MARK: Variables of closures

  func binding(
    _ variable: PredicateExpressions.VariableID, to term: Term, named name: @escaping @autoclosure () -> String
  ) -> Translator {
    var inner = self
    inner.bound[variable] = (term, name)
    return inner
  }

  /// The translator for a closure over a captured value.
  func binding<T>(
    _ variable: PredicateExpressions.Variable<T>, toValue value: T, named name: @escaping @autoclosure () -> String
  ) -> Translator {
    var inner = binding(variable.key, to: .always(true), named: name())
    inner.values = values.binding(variable, to: value)
    return inner
  }

  /// The translator for a closure over an optional property of the row that has no column itself.
  func binding(
    _ variable: PredicateExpressions.VariableID, toPath prefix: String, named name: @escaping @autoclosure () -> String
  ) -> Translator {
    var inner = binding(variable, to: .always(true), named: name())
    inner.prefixes[variable] = prefix
    return inner
  }

  func prefix(of variable: PredicateExpressions.VariableID) -> String? { prefixes[variable] }

  func term(of variable: PredicateExpressions.VariableID) -> Term? {
    prefixes[variable] == nil ? bound[variable]?.term : nil
  }

  func name(of variable: PredicateExpressions.VariableID) -> String { bound[variable]?.name() ?? "$0" }

  // MARK: Words

  /// An expression as it may have been written.
  func swift(_ expression: some PredicateExpression) -> String {
    guard let translatable = expression as? any SQLTranslatable else {
      let name = "\(type(of: expression))"
      return "the expression \(name.prefix { $0 != "<" })"
    }
    return translatable.swift(self)
  }

  func swift(any expression: any PredicateExpression) -> String { swift(expression) }

  func refusal(_ expression: some PredicateExpression, _ reason: String) -> DatabaseError {
    let isCaptured = CapturedValues.isCaptured(expression, values.known)
    return DatabaseError(
      code: .misuse,
      message:
        "\(isCaptured ? outer.map { swift($0) } ?? swift(expression) : swift(expression)) can't be translated into SQL: \(reason); write the condition in SQL, with `where:`"
    )
  }
}
