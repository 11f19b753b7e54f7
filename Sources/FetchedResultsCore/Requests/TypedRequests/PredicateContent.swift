import RowModel

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// What a predicate consists of, so that two can be compared: its operators, key paths and captured values.
///
/// Two predicates have equal contents if they are built alike and capture equal values. Then they have the same
/// translation. The reverse is not true: a captured value counts even if the condition doesn't depend on it.
///
/// - Texts are compared by their bytes, wherever they are in a value. 0.0 and -0.0 are different.
/// - Structures, tuples and enumerations are compared by what they contain, whatever their own `==` does.
/// - Sets and dictionaries are compared by their members, in any order.
/// - What can't be looked into is equal only to itself in a copy of this content: an instance of a class, which may
///   change, a function, a value whose type has a mirror of its own, and a NaN.
struct PredicateContent: Hashable, Sendable {
  private let parts: [Part]

  init<E>(_ predicate: Predicate<E>) {
    var reading = Reading()
    parts = reading.read(predicate.expression, [predicate.variable.key: 0])
  }

  // because a predicate is Sendable, and so are its key paths
  fileprivate enum Part: Hashable, @unchecked Sendable {
    case type(ObjectIdentifier)
    case keyPath(AnyKeyPath)
    /// A variable, by the number of its closure; 0 is the row.
    case variable(Int)
    case text(ByteString)
    /// A number, or how many values follow.
    case bits(UInt64)
    case bytes([UInt8])
    case members(Set<[Part]>)
    case unknown(Unknown)
  }

  fileprivate final class Unknown: Hashable, Sendable {
    static func == (left: Unknown, right: Unknown) -> Bool { left === right }
    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
  }
}

/// A walk through a predicate, from left to right. It needs no recursion, because predicates may be deep.
private struct Reading {
  typealias Part = PredicateContent.Part
  /// The numbers of the variables that are known at a place.
  typealias Scope = [PredicateExpressions.VariableID: Int]

  var parts: [Part] = []
  /// What is yet to be read, the next one last.
  private var waiting: [(value: Any, scope: Scope)] = []
  private var closures = 0

  mutating func read(_ value: Any, _ scope: Scope = [:]) -> [Part] {
    waiting.append((value, scope))
    while let (value, scope) = waiting.popLast() { add(value, scope) }
    return parts
  }

  mutating func wait(for values: some Sequence<Any>, _ scope: Scope = [:]) {
    for value in values.reversed() { waiting.append((value, scope)) }
  }

  mutating func addUnknown() { parts.append(.unknown(PredicateContent.Unknown())) }

  private mutating func add(_ value: Any, _ scope: Scope) {
    if let expression = value as? any PredicateExpression {
      add(expression, scope)
    } else if let keyPath = value as? AnyKeyPath {
      parts.append(.keyPath(keyPath))
    } else {
      parts.append(.type(ObjectIdentifier(type(of: value))))
      add(captured: value, scope)
    }
  }

  // MARK: Expressions

  private mutating func add<X: PredicateExpression>(_ expression: X, _ scope: Scope) {
    parts.append(.type(ObjectIdentifier(X.self)))
    if let variable = expression as? any AnyVariable {
      if let number = scope[variable.key] { parts.append(.variable(number)) } else { addUnknown() }
      return
    }
    if let chain = expression as? any ChainExpression {
      return wait(for: Operand.all(of: chain) { $0.map { $0.expression as Any } }, scope)
    }
    let children = expression is any CustomReflectable ? [] : Array(Mirror(reflecting: expression).children)
    if children.isEmpty, MemoryLayout<X>.size > 0 { return addUnknown() }
    // A closure's variable has another identity each time that the predicate is made.
    var inner = scope
    for child in children where child.label == "variable" {
      guard let variable = child.value as? any AnyVariable else { continue }
      closures += 1
      inner[variable.key] = closures
    }
    wait(for: children.map(\.value), inner)
  }

  // MARK: Captured values

  private mutating func add(captured value: Any, _ scope: Scope) {
    if let readable = value as? any ReadableValue { return readable.read(by: &self) }
    if let integer = value as? any FixedWidthInteger { return add(integer) }
    if let real = value as? any BinaryFloatingPoint { return add(real: real) }
    if value is any CustomReflectable { return addUnknown() }
    let mirror = Mirror(reflecting: value)
    let children = Array(mirror.children)
    switch mirror.displayStyle {
    case .struct where !children.isEmpty, .tuple: wait(for: children.map(\.value), scope)
    case .enum where children.count == 1:
      parts.append(.text(ByteString(children[0].label ?? "")))
      wait(for: [children[0].value], scope)
    case .enum where children.isEmpty: add(caseOf: value)
    default: addUnknown()
    }
  }

  private mutating func add<I: FixedWidthInteger>(_ integer: I) {
    for word in integer.words { parts.append(.bits(UInt64(word))) }
  }

  mutating func add<F: BinaryFloatingPoint>(real: F) {
    // Nil for a NaN, and for what only a longer type can hold.
    guard let exact = Double(exactly: real) else { return addUnknown() }
    parts.append(.bits(exact.bitPattern))
  }

  /// A case of an enumeration that has no payload.
  private mutating func add(caseOf value: Any) {
    // A few bytes hold no reference to a payload.
    if let hashable = value as? any Hashable, let bytes = Self.bytes(of: hashable) {
      parts.append(.bytes(bytes))
      return
    }
    let name = value is any CustomStringConvertible || value is any CustomDebugStringConvertible ? nil : "\(value)"
    // A program without metadata for mirrors has the name of the type only.
    guard let name, name != "\(type(of: value))" else { return addUnknown() }
    parts.append(.text(ByteString(name)))
  }

  private static func bytes<T: Hashable>(of value: T) -> [UInt8]? {
    MemoryLayout<T>.size < MemoryLayout<UnsafeRawPointer>.size ? withUnsafeBytes(of: value) { Array($0) } : nil
  }
}

// MARK: - Values that are not read by their mirrors

/// A captured value that is read in a way of its own. Its type is already known.
private protocol ReadableValue {
  func read(by reading: inout Reading)
}

extension String: ReadableValue {
  fileprivate func read(by reading: inout Reading) { reading.parts.append(.text(ByteString(self))) }
}

extension Character: ReadableValue {
  fileprivate func read(by reading: inout Reading) { String(self).read(by: &reading) }
}

extension Substring: ReadableValue {
  fileprivate func read(by reading: inout Reading) {
    // Indices of the whole text are valid here too.
    reading.parts.append(.bits(UInt64(base.utf8.distance(from: base.startIndex, to: startIndex))))
    String(self).read(by: &reading)
  }
}

extension Bool: ReadableValue {
  fileprivate func read(by reading: inout Reading) { reading.parts.append(.bits(self ? 1 : 0)) }
}

extension Date: ReadableValue {
  fileprivate func read(by reading: inout Reading) { reading.add(real: timeIntervalSinceReferenceDate) }
}

extension UUID: ReadableValue {
  fileprivate func read(by reading: inout Reading) {
    reading.parts.append(.bytes(withUnsafeBytes(of: uuid) { Array($0) }))
  }
}

extension Data: ReadableValue {
  fileprivate func read(by reading: inout Reading) {
    reading.parts.append(.bits(UInt64(startIndex)))
    reading.parts.append(.bytes(Array(self)))
  }
}

extension Optional: ReadableValue {
  fileprivate func read(by reading: inout Reading) {
    reading.parts.append(.bits(self == nil ? 0 : 1))
    if let self { reading.wait(for: CollectionOfOne<Any>(self)) }
  }
}

extension Array: ReadableValue {
  fileprivate func read(by reading: inout Reading) {
    reading.parts.append(.bits(UInt64(count)))
    // Long lists of these types are usual.
    if Element.self == UInt8.self, let bytes = self as? [UInt8] {
      reading.parts.append(.bytes(bytes))
    } else if Element.self == String.self, let texts = self as? [String] {
      reading.parts += texts.lazy.map { .text(ByteString($0)) }
    } else {
      reading.wait(for: map { $0 as Any })
    }
  }
}

extension ContiguousArray: ReadableValue {
  fileprivate func read(by reading: inout Reading) { Array(self).read(by: &reading) }
}

extension ArraySlice: ReadableValue {
  fileprivate func read(by reading: inout Reading) {
    reading.parts.append(.bits(UInt64(bitPattern: Int64(startIndex))))
    Array(self).read(by: &reading)
  }
}

extension Set: ReadableValue {
  fileprivate func read(by reading: inout Reading) {
    let members = map { member in
      var inner = Reading()
      return inner.read(member)
    }
    reading.parts.append(.members(Set<[Reading.Part]>(members)))
  }
}

extension Dictionary: ReadableValue {
  fileprivate func read(by reading: inout Reading) {
    let members = map { key, value in
      var inner = Reading()
      return inner.read((key, value))
    }
    reading.parts.append(.members(Set<[Reading.Part]>(members)))
  }
}

extension Range: ReadableValue {
  fileprivate func read(by reading: inout Reading) { reading.wait(for: [lowerBound, upperBound] as [Any]) }
}

extension ClosedRange: ReadableValue {
  fileprivate func read(by reading: inout Reading) { reading.wait(for: [lowerBound, upperBound] as [Any]) }
}
