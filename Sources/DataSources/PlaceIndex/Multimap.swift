/// A dictionary whose keys may have several nodes, at the price of one where they have one. It doesn't keep nodes alive.
@usableFromInline struct Multimap<Key: Hashable, Node: AnyObject> {
  @usableFromInline var latest: [Key: Unmanaged<Node>] = [:]
  /// The nodes before the latest, for the few keys that have several.
  @usableFromInline var others: [Key: [Unmanaged<Node>]] = [:]

  @inlinable init() {}

  @inlinable mutating func add(_ node: Unmanaged<Node>, for key: Key) {
    if let earlier = latest.updateValue(node, forKey: key) { others[key, default: []].append(earlier) }
  }

  @inlinable mutating func remove(_ node: Unmanaged<Node>, for key: Key) {
    guard !others.isEmpty, var rest = others[key] else {
      latest[key] = nil
      return
    }
    if let latest = latest[key], latest.toOpaque() == node.toOpaque() {
      self.latest[key] = rest.removeLast()
    } else if let index = rest.firstIndex(where: { $0.toOpaque() == node.toOpaque() }) {
      rest.remove(at: index)
    }
    others[key] = rest.isEmpty ? nil : rest
  }

  @inlinable func forEach(_ key: Key, _ body: (Node) -> Void) {
    guard let node = latest[key] else { return }
    node._withUnsafeGuaranteedRef(body)
    if others.isEmpty { return }
    for node in others[key] ?? [] { node._withUnsafeGuaranteedRef(body) }
  }
}
