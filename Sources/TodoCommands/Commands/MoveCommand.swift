import TodoCore

/// `todo move`.
enum MoveCommand {
  static let command = Command(
    "move", "move items within their list, or to another list", operands: "ID… [FILTER…]",
    flags: [.before, .after, .to, .first, .last] + Flag.changing,
    details: ["Several items are put next to each other, in the order given. Creates the list if it doesn't exist."],
    completion: .items(done: false),
    examples: [
      .init("todo add Buy milk", "an item to move"), .init("todo add Buy bread", "and another one"),
      .init("todo move 2 --before 1", "put bread first"), .init("todo move 2 --last", "or put it last"),
      .init("todo move 1 2 --to Shopping --first", "both to another list, in this order"),
    ]
  ) { invocation in
    let moment = Moment.ofUser
    let selection = try invocation.selection(at: moment, example: "todo move 3 --to Home")
    var target = try target(invocation)
    let store = try invocation.storeToChange()
    switch target {
    case .first(let list): target = .first(list: try invocation.list(list, in: store))
    case .last(let list): target = .last(list: try invocation.list(list, in: store))
    case .before, .after: break
    }
    let result = try store.move(try invocation.confirmed(selection, in: store), target)
    return try invocation.conclude(store, didChange: result.didChange) {
      try Report(invocation, at: moment).tell(
        result, "moved", place: { place($0, target) }, already: "is there already")
    }
  }

  private static func target(_ invocation: Invocation) throws(TodoError) -> MoveTarget {
    let places = [Flag.before, .after, .first, .last].filter { invocation.has($0) }
    if places.count > 1 || (invocation.has(.to) && places.contains { $0.value != nil }) {
      let second = places.count > 1 ? places[1] : .to
      throw .usage("\(places[0].name) and \(second.name) are two places; leave one of the two out")
    }
    if let text = invocation.value(.before) { return .before(try id(text, .before)) }
    if let text = invocation.value(.after) { return .after(try id(text, .after)) }
    let list = invocation.value(.to)
    if list?.isEmpty == true { throw .usage("--to needs the name of a list, as in: --to Home") }
    if invocation.has(.first) { return .first(list: list) }
    if invocation.has(.last) || list != nil { return .last(list: list) }
    throw .usage("`todo move` needs a place: --before ID, --after ID, --to LIST, --first or --last")
  }

  private static func id(_ text: String, _ flag: Flag) throws(TodoError) -> Int64 {
    guard let range = try Selection.range(text), range.count == 1 else {
      throw .usage("\(flag.name) needs the number of one item, not \"\(text)\"")
    }
    return range.lowerBound
  }

  private static func place(_ item: Item, _ target: MoveTarget) -> String {
    switch target {
    case .before(let id): " before \(id) in \(item.list.visible)"
    case .after(let id): " behind \(id) in \(item.list.visible)"
    case .first: " to the beginning of \(item.list.visible)"
    case .last: " to the end of \(item.list.visible)"
    }
  }
}
