/// What can be asked of an item of which nothing is known at compile time.
enum ItemTraits {
  /// The id of an identifiable item; nil for any other.
  static func id(of item: some Any) -> AnyHashable? {
    (item as? any Identifiable).map { identity($0) }
  }

  /// Whether two items are known to be equal. Where they are not equatable, nobody knows.
  static func areKnownEqual<Item>(_ first: Item, _ second: Item) -> Bool {
    (first as? any Equatable).map { equals($0, second) } ?? false
  }

  private static func identity(_ item: some Identifiable) -> AnyHashable { AnyHashable(item.id) }

  private static func equals<Value: Equatable>(_ first: Value, _ second: Any) -> Bool { first == second as? Value }
}

extension ItemTraits {
  /// Whether two items are one: by their ids if they have any, else by `==` if they have that.
  static func areTheSame<Item>(_ first: Item, _ second: Item) -> Bool {
    if let id = id(of: first) { return id == ItemTraits.id(of: second) }
    return areKnownEqual(first, second)
  }
}
