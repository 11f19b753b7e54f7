/// A dictionary whose keys may have several nodes; a key with one node costs no more than in a dictionary. It doesn't
/// keep nodes alive.
///
/// A node may be added several times for one key, for example if rows with the same id are in one leaf, or if sections
/// share their rows. It is then counted, and reported once: otherwise a list of equal rows would take quadratic time.
@usableFromInline struct Multimap<Key: Hashable, Node: AnyObject> {
  @usableFromInline var single: [Key: Unmanaged<Node>] = [:]
  /// All nodes of the few keys with more than one addition, each with its count.
  @usableFromInline var several: [Key: [UnsafeMutableRawPointer: Int]] = [:]

  @inlinable init() {}

  @inlinable mutating func add(_ node: Unmanaged<Node>, for key: Key) {
    if !several.isEmpty, several[key] != nil {
      several[key]?[node.toOpaque(), default: 0] += 1
    } else if let earlier = single.updateValue(node, forKey: key) {
      single[key] = nil
      var nodes = [earlier.toOpaque(): 1]
      nodes[node.toOpaque(), default: 0] += 1
      several[key] = nodes
    }
  }

  @inlinable mutating func remove(_ node: Unmanaged<Node>, for key: Key) {
    guard !several.isEmpty, let count = several[key]?[node.toOpaque()] else {
      single[key] = nil
      return
    }
    several[key]?[node.toOpaque()] = count > 1 ? count - 1 : nil
    if several[key]?.isEmpty == true { several[key] = nil }
  }

  /// Calls `body` with each node of a key, in no order.
  @inlinable func forEach(_ key: Key, _ body: (Node) -> Void) {
    if let node = single[key] { return node._withUnsafeGuaranteedRef(body) }
    if several.isEmpty { return }
    for node in (several[key] ?? [:]).keys { Unmanaged<Node>.fromOpaque(node)._withUnsafeGuaranteedRef(body) }
  }
}
