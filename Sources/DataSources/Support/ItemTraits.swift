/// Run-time checks for an item about which nothing is known at compile time.
enum ItemTraits {
  /// Whether two items are known to have different ids; false for items without ids.
  static func haveDifferentIDs<Item>(_ first: Item, _ second: Item) -> Bool {
    // Objects of two subclasses are compared as what they have in common.
    if let type = Item.self as? any Identifiable.Type { return !sameIDs(first, second, as: type) }
    return switch (first as? any Identifiable, second as? any Identifiable) {
    case (nil, nil): false
    case (let first?, let second?): !sameIDs(first, second)
    default: true
    }
  }

  /// Whether two items are known to be equal; false if they are not equatable.
  static func areKnownEqual<Item>(_ first: Item, _ second: Item) -> Bool {
    (first as? any Equatable).map { equals($0, second) } ?? false
  }

  /// The id of an identifiable item; nil for any other.
  static func id(of item: some Any) -> AnyHashable? {
    (item as? any Identifiable).map { identity($0) }
  }

  /// Whether neither item has an id or can be compared with the other.
  static func areOpaque<Item>(_ first: Item, _ second: Item) -> Bool {
    !(first is any Identifiable || second is any Identifiable || first is any Equatable)
  }

  /// Whether two items are the same object. Its earlier state is lost, so it can't be checked whether it changed.
  static func areOneObject<Item>(_ first: Item, _ second: Item) -> Bool {
    guard isObject(first), isObject(second) else { return false }
    return (first as AnyObject) === (second as AnyObject)
  }

  /// Whether all items of a type are objects.
  static func areObjects<Item>(_ type: Item.Type) -> Bool { type is AnyObject.Type }

  private static func isObject<Item>(_ item: Item) -> Bool { Swift.type(of: item as Any) is AnyObject.Type }

  private static func identity(_ item: some Identifiable) -> AnyHashable { AnyHashable(item.id) }

  private static func sameIDs<Item: Identifiable>(_ first: Any, _ second: Any, as type: Item.Type) -> Bool {
    guard let first = first as? Item, let second = second as? Item else { return false }
    return areSame(first.id, second.id)
  }

  private static func sameIDs<First: Identifiable>(_ first: First, _ second: some Identifiable) -> Bool {
    (second as? First).map { areSame(first.id, $0.id) } ?? false
  }

  private static func equals<Value: Equatable>(_ first: Value, _ second: Any) -> Bool {
    guard let second = second as? Value else { return false }
    return withUnsafePointer(to: first) { first in
      withUnsafePointer(to: second) { haveSameContent(first, $0) }
    }
  }
}

extension ItemTraits {
  /// Whether two items are the same: by their ids if they have any, otherwise by `==` if they have that.
  static func areTheSame<Item>(_ first: Item, _ second: Item) -> Bool {
    if first is any Identifiable || second is any Identifiable { return !haveDifferentIDs(first, second) }
    return areKnownEqual(first, second)
  }
}
