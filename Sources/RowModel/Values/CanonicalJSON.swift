#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// JSON with the same text for equal contents. It is what `JSONEncoder` writes with sorted keys; in addition, the
/// elements of sets and the pairs of dictionaries are sorted, whose order in Swift differs from one instance to the
/// next.
enum CanonicalJSON {
  static func text(_ content: some Encodable) throws -> String { try node(of: content).rendered }

  /// An encoded value, to be filled by containers.
  fileprivate final class Node {
    enum Content {
      case text(String)
      case array([Node])
      case object([String: Node])
    }

    var content = Content.object([:])

    var rendered: String {
      switch content {
      case .text(let text): text
      case .array(let elements): "[" + elements.map(\.rendered).joined(separator: ",") + "]"
      case .object(let members):
        "{"
          + members.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
          .map { "\(CanonicalJSON.quoted($0.key)):\($0.value.rendered)" }.joined(separator: ",") + "}"
      }
    }

    func append(_ node: Node) {
      var elements: [Node] = []
      if case .array(let known) = content { elements = known }
      content = .array([])  // so that the array is not copied for each element
      elements.append(node)
      content = .array(elements)
    }

    subscript(key: String) -> Node? {
      get { if case .object(let members) = content { members[key] } else { nil } }
      set {
        var members: [String: Node] = [:]
        if case .object(let known) = content { members = known }
        content = .object([:])
        members[key] = newValue
        content = .object(members)
      }
    }

    /// Sorts elements without an order of their own, in groups of `count`.
    func sort(by count: Int) {
      guard case .array(let elements) = content else { return }
      let groups = stride(from: 0, to: elements.count, by: count).map { start in
        let group = elements[start..<min(start + count, elements.count)]
        return (key: group.map(\.rendered).joined(separator: ","), group)
      }
      content = .array(groups.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }.flatMap(\.1))
    }
  }

  fileprivate static func node<T: Encodable>(of value: T) throws -> Node {
    let node = Node()
    switch value {
    case let text as String: node.content = .text(quoted(text))
    case let integer as any FixedWidthInteger: node.content = .text("\(integer)")
    case is Bool, is Double, is Float, is Date, is Data, is URL, is Decimal: node.content = .text(try plain(value))
    default:
      try value.encode(to: NodeEncoder(node: node, codingPath: []))
      if value is any Unordered { node.sort(by: 1) }
      if value is any UnorderedPairs { node.sort(by: 2) }
    }
    return node
  }

  private static func plain(_ value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .withoutEscapingSlashes
    return String(decoding: try encoder.encode(value), as: UTF8.self)
  }

  fileprivate static func quoted(_ text: String) -> String {
    let isPlain = text.utf8.allSatisfy { $0 >= 32 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") && $0 != 127 }
    if isPlain { return "\"\(text)\"" }
    // A text can always be encoded.
    do { return try plain(text) } catch { return "\"\"" }
  }
}

private protocol Unordered {}
extension Set: Unordered {}
private protocol UnorderedPairs {}
extension Dictionary: UnorderedPairs {}

private struct NodeEncoder: Encoder {
  let node: CanonicalJSON.Node
  let codingPath: [any CodingKey]
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    KeyedEncodingContainer(Members<Key>(node: node, codingPath: codingPath))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    if case .array = node.content {} else { node.content = .array([]) }
    return Elements(node: node, codingPath: codingPath)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer { Single(node: node, codingPath: codingPath) }
}

private struct Members<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let node: CanonicalJSON.Node
  let codingPath: [any CodingKey]

  private func child(_ key: String) -> CanonicalJSON.Node {
    let child = CanonicalJSON.Node()
    node[key] = child
    return child
  }

  func encodeNil(forKey key: Key) { child(key.stringValue).content = .text("null") }
  func encode<T: Encodable>(_ value: T, forKey key: Key) throws {
    node[key.stringValue] = try CanonicalJSON.node(of: value)
  }
  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) -> KeyedEncodingContainer<Nested> {
    group(key.stringValue).container(keyedBy: type)
  }
  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    group(key.stringValue).unkeyedContainer()
  }
  func superEncoder() -> any Encoder { encoder("super") }
  func superEncoder(forKey key: Key) -> any Encoder { encoder(key.stringValue) }
  /// A nested container may be asked for again, to be filled further.
  private func group(_ key: String) -> NodeEncoder {
    NodeEncoder(node: node[key] ?? child(key), codingPath: codingPath)
  }
  private func encoder(_ key: String) -> NodeEncoder { NodeEncoder(node: child(key), codingPath: codingPath) }
}

private struct Elements: UnkeyedEncodingContainer {
  let node: CanonicalJSON.Node
  let codingPath: [any CodingKey]

  var count: Int { if case .array(let elements) = node.content { elements.count } else { 0 } }

  private func child() -> CanonicalJSON.Node {
    let child = CanonicalJSON.Node()
    node.append(child)
    return child
  }

  func encodeNil() { child().content = .text("null") }
  func encode<T: Encodable>(_ value: T) throws { node.append(try CanonicalJSON.node(of: value)) }
  func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
    NodeEncoder(node: child(), codingPath: codingPath).container(keyedBy: type)
  }
  func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
    NodeEncoder(node: child(), codingPath: codingPath).unkeyedContainer()
  }
  func superEncoder() -> any Encoder { NodeEncoder(node: child(), codingPath: codingPath) }
}

private struct Single: SingleValueEncodingContainer {
  let node: CanonicalJSON.Node
  let codingPath: [any CodingKey]

  func encodeNil() { node.content = .text("null") }
  func encode<T: Encodable>(_ value: T) throws { node.content = try CanonicalJSON.node(of: value).content }
}
