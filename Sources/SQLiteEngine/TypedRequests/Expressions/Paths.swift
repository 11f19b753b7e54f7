import FetchedResultsCore
import FetchedResultsSupport
import RowModel

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension PredicateExpressions.Value: SQLTranslatable {
  var parts: [any PredicateExpression] { [] }

  // Never called, because it is the same for every row.
  func term(_ translator: Translator) throws -> Term { try translator.constant(value, self) }

  func swift(_ translator: Translator) -> String {
    shown(value)
  }

  private func shown(_ value: Any) -> String {
    let optional = value as? any AnyOptional
    guard let shown = optional == nil ? value : optional?.wrapped else { return "nil" }
    if let text = shown as? String { return "\"\(text.count > 60 ? text.prefix(57) + "..." : text[...])\"" }
    if let list = shown as? any Collection, let text = self.text(of: list) { return text }
    // Not every date has a safe description.
    let text = (shown as? Date).map { "\($0.databaseValue)" } ?? "\(shown)"
    return text.count > 60 ? "\(text.prefix(57))..." : text
  }

  /// A list of a few elements, or the number of many; nil for what is shown in another way.
  private func text(of list: some Collection) -> String? {
    if list is any RangeExpression || list is Data || list is any StringProtocol { return nil }
    if list.count > 8 { return "\(type(of: list)) of \(list.count) elements" }
    let text = list.map { shown($0) }.joined(separator: ", ")
    return "[\(text.count > 60 ? "\(text.prefix(57))..." : text)]"
  }
}

extension PredicateExpressions.Variable: SQLTranslatable {
  var parts: [any PredicateExpression] { [] }

  func isCaptured(_ inner: Set<PredicateExpressions.VariableID>) -> Bool { inner.contains(key) }

  func term(_ translator: Translator) throws -> Term {
    if let term = translator.term(of: key) { return term }
    throw translator.refusal(self, "a whole row has no value; name a property of it")
  }

  func swift(_ translator: Translator) -> String { translator.name(of: key) }
}

extension PredicateExpressions.KeyPath: SQLTranslatable {
  var parts: [any PredicateExpression] { [root] }

  func term(_ translator: Translator) throws -> Term {
    let path = pathFromRow(translator)
    if let (spelling, variable) = spelledPath(translator) {
      guard let column = translator.column(spelled: spelling) else {
        if let member = try member(translator) { return member }
        throw translator.refusal(self, "\(spelling) has no column in the mapping")
      }
      var term = try term(of: column, translator)
      term.strict.insert(variable)
      return term
    }
    if let path, let column = translator.column(of: path) { return try term(of: column, translator) }
    if let member = try member(translator) { return member }
    if let path, root is any VariableExpression { throw translator.noColumn(path, self) }
    _ = try translator.term(of: root)  // an error in the root is reported first
    let isRepresentable = Root.Output.self is any (RawRepresentable & ValueConvertible).Type
    let advice = isRepresentable ? "; compare the whole value, or declare the type CaseIterable" : ""
    throw translator.refusal(self, "SQLite doesn't know this property of \(Root.Output.self)\(advice)")
  }

  private func term(of column: SQL, _ translator: Translator) throws -> Term {
    let (kind, isOptional) = try translator.kind(of: Output.self, self)
    var term = Term(column, kind)
    // Dates must also be ordered.
    term.sql = kind == .date ? "frc_date(\(column))" : ValueKind.canonical(Output.self, column)
    term.isOptional = isOptional
    term.column = column
    return term
  }

  /// A property of a value that SQLite can compute from the stored value.
  private func member(_ translator: Translator) throws -> Term? {
    guard let kind = ValueKind.of(Root.Output.self), !kind.isOptional else { return nil }
    if (keyPath as AnyKeyPath) == \String.utf8 {
      let text = try translator.term(of: root)
      var bytes = text
      bytes.sql = "frc_utf8(\(text.sql))"
      bytes.kind = .utf8
      bytes.column = nil
      return bytes
    }
    switch (collectionProperty, kind.kind) {
    case (.collectionIsEmpty, .text):
      let text = try translator.term(of: root)
      return .condition("(\(text.collated) = '')", on: text)
    case (.collectionIsEmpty, .bytes), (.collectionIsEmpty, .utf8):
      let bytes = try translator.term(of: root)
      return .condition("(length(\(bytes.sql)) = 0)", on: bytes)
    case (.collectionCount, .bytes), (.collectionCount, .utf8):
      var count = try translator.term(of: root)
      count.sql = "length(\(count.sql))"
      count.kind = .integer
      count.column = nil
      return count
    case (.collectionCount, .text):
      throw translator.refusal(
        self, "a string counts its characters, and SQLite has none; `utf8.count` counts bytes in both")
    default:
      guard kind.kind == .stored, keyPathIsRawValue else { return nil }
      var raw = try translator.term(of: root)
      raw.kind = try translator.kind(of: Output.self, self).kind
      // The column may hold other forms than that of the raw value.
      if (Root.Output.self as? any ValueConvertible.Type)?.storedForms != .one { raw.column = nil }
      return raw
    }
  }

  private var collectionProperty: CommonKeyPathKind? {
    switch keyPath as AnyKeyPath {
    case \String.UTF8View.count, \Data.count: .collectionCount
    case \String.UTF8View.isEmpty, \Data.isEmpty: .collectionIsEmpty
    default: kind
    }
  }

  /// Whether this is the raw value of an enumeration that is stored by it. The key path doesn't show that; its values
  /// do.
  private var keyPathIsRawValue: Bool {
    guard let type = Root.Output.self as? any CaseIterable.Type else { return false }
    return Self.isRawValue(keyPath, of: type)
  }

  private static func isRawValue<C: CaseIterable>(_ keyPath: AnyKeyPath, of type: C.Type) -> Bool {
    !C.allCases.isEmpty
      && C.allCases.allSatisfy { one in
        guard let one = one as? any RawRepresentable & ValueConvertible else { return false }
        return isRawValue(keyPath, of: one)
      }
  }

  private static func isRawValue<R: RawRepresentable & ValueConvertible>(_ keyPath: AnyKeyPath, of one: R) -> Bool {
    guard let raw = one.rawValue as? any ValueConvertible,
      let value = (keyPath as? PartialKeyPath<R>).map({ one[keyPath: $0] }) as? any ValueConvertible
    else { return false }
    do {
      let stored = try one.databaseValue
      return try type(of: value) == type(of: raw) && value.databaseValue == stored && raw.databaseValue == stored
    } catch {
      return false
    }
  }

  func swift(_ translator: Translator) -> String {
    let names: [CommonKeyPathKind: String] = [
      .collectionCount: "count", .collectionIsEmpty: "isEmpty", .collectionFirst: "first",
      .bidirectionalCollectionLast: "last",
    ]
    let known = (keyPath as AnyKeyPath) == \String.utf8 ? "utf8" : collectionProperty.flatMap { names[$0] }
    if let known { return "\(translator.swift(root)).\(known)" }
    return "\(translator.swift(root)).\(keyPath.spelling(after: Root.Output.self))"
  }
}

private protocol VariableExpression {}
extension PredicateExpressions.Variable: VariableExpression {}

/// A key path that may begin at the row.
protocol RowPath {
  func pathFromRow(_ translator: Translator) -> AnyKeyPath?
  /// The spelling of a path through an optional property without a column, and the variable for that property.
  func spelledPath(_ translator: Translator) -> (spelling: String, variable: PredicateExpressions.VariableID)?
  /// The spelling of a path that leads to no column; nil if it leads to one, or does not begin at the row.
  func unmappedPath(_ translator: Translator) -> String?
  /// The column of optional JSON, in its canonical form, that a path leads to; nil if it leads to something else.
  func optionalJSONColumn(_ translator: Translator) -> SQL?
}

extension PredicateExpressions.KeyPath: RowPath {
  func optionalJSONColumn(_ translator: Translator) -> SQL? {
    guard ValueKind.isOptionalJSON(Output.self), let path = pathFromRow(translator) else { return nil }
    return translator.column(of: path).map { ValueKind.canonical(Output.self, $0) }
  }

  func pathFromRow(_ translator: Translator) -> AnyKeyPath? {
    if let variable = root as? PredicateExpressions.Variable<Root.Output> {
      return variable.key == translator.row ? keyPath : nil
    }
    return (root as? any RowPath)?.pathFromRow(translator)?.appending(path: keyPath)
  }

  func spelledPath(_ translator: Translator) -> (spelling: String, variable: PredicateExpressions.VariableID)? {
    if let variable = root as? PredicateExpressions.Variable<Root.Output> {
      return translator.prefix(of: variable.key).map {
        ("\($0).\(keyPath.spelling(after: Root.Output.self))", variable.key)
      }
    }
    return (root as? any RowPath)?.spelledPath(translator).map {
      ("\($0.spelling).\(keyPath.spelling(after: Root.Output.self))", $0.variable)
    }
  }

  func unmappedPath(_ translator: Translator) -> String? {
    if let (spelling, _) = spelledPath(translator) {
      return translator.column(spelled: spelling) == nil ? spelling : nil
    }
    guard let path = pathFromRow(translator), translator.column(of: path) == nil else { return nil }
    return "\(path)"
  }
}
