import SQLiteStore

/// Which items of a file follow which, checked together with the items of the database.
struct ImportedLinks {
  /// The places in the file of the items to link, and the UUIDs of the items that they are to follow.
  private(set) var links: [(index: Int, previous: String)] = []
  /// What is left out, one sentence for each.
  private(set) var warnings: [String] = []
  private let connection: Connection
  private let items: [ImportedItem]
  /// The places of the items that are linked as the file says.
  private var linked: Set<Int> = []

  /// - Parameter indices: The places in the file of the items that can be linked.
  init(_ connection: Connection, _ items: [ImportedItem], of indices: [Int]) throws {
    self.connection = connection
    self.items = items
    let following = indices.filter { items[$0].previous != nil }
    if following.isEmpty { return }
    let uuids = Set(items.compactMap(\.uuid))
    var taken: [String: Int] = [:]
    // Those that are linked already come first: they stay so.
    linked = try Set(following.filter { index in try items[index].uuid.flatMap(formerLink) == items[index].previous })
    for index in following.filter(linked.contains) + following.filter({ !linked.contains($0) }) {
      guard let former = items[index].previous else { continue }
      if former == items[index].uuid, !linked.contains(index) {
        leaveOut(index, "it would follow itself")
      } else if try !uuids.contains(former) && !isHere(former) {
        leaveOut(index, "the instance that it follows is neither in the file nor here")
      } else if let other = taken[former] {
        leaveOut(index, "\"\(items[other].title)\" follows the same instance")
      } else {
        taken[former] = index
        links.append((index, former))
      }
    }
    while try leaveOutTaken() || leaveOutCircles() {}
  }

  /// The places in the file of the items whose links are not in the database yet.
  var changed: [Int] { links.map(\.index).filter { !linked.contains($0) } }

  /// The links that are made, by the UUIDs of their items.
  private var made: [String: String] {
    Dictionary(
      links.compactMap { link in items[link.index].uuid.map { ($0, link.previous) } }, uniquingKeysWith: { $1 })
  }

  /// Leaves out the links to instances that other items of the database go on following: an item that is to follow
  /// another instance releases its own only if that link is made. Returns whether there were any.
  private mutating func leaveOutTaken() throws -> Bool {
    let made = made
    var kept: [(index: Int, previous: String)] = []
    for link in links {
      if let other = try follower(of: link.previous, items[link.index].uuid, made) {
        leaveOut(link.index, "\"\(other)\" follows the same instance here")
      } else {
        kept.append(link)
      }
    }
    defer { links = kept }
    return kept.count < links.count
  }

  /// Leaves out the links by which items would follow themselves, also by way of others. Returns whether there were any.
  private mutating func leaveOutCircles() throws -> Bool {
    let made = made
    let new = Set(links.filter { !linked.contains($0.index) }.compactMap { items[$0.index].uuid })
    var broken: Set<String> = []
    var isDone: Set<String> = []
    for link in links {
      var path: [String] = []
      var next = items[link.index].uuid
      while let uuid = next, !isDone.contains(uuid) {
        guard let start = path.firstIndex(of: uuid) else {
          path.append(uuid)
          next = try made[uuid] ?? formerLink(of: uuid)
          continue
        }
        // A circle without new links was here before.
        if let last = path[start...].last(where: new.contains) { broken.insert(last) }
        break
      }
      isDone.formUnion(path)
    }
    if broken.isEmpty { return false }
    for link in links where broken.contains(items[link.index].uuid ?? "") {
      leaveOut(link.index, "it would follow itself")
    }
    links.removeAll { broken.contains(items[$0.index].uuid ?? "") }
    return true
  }

  private mutating func leaveOut(_ index: Int, _ reason: String) {
    let item = items[index]
    let place = item.place.map { "\($0): " } ?? ""
    warnings.append("\(place)\"\(item.title)\" is not made to follow another item: \(reason)")
  }

  private func isHere(_ uuid: String) throws -> Bool {
    try connection.value("SELECT EXISTS(SELECT 1 FROM item WHERE uuid = \(uuid))") == 1
  }

  /// The title of the item of the database that follows another one and goes on doing so; nil if there is none.
  private func follower(of wanted: String, _ own: String?, _ made: [String: String]) throws -> String? {
    let row = try connection.row(
      "SELECT item.uuid, item.title FROM item JOIN item AS former ON former.id = item.previous WHERE former.uuid = \(wanted)"
    )
    guard let row else { return nil }
    let uuid: String = try row[0]
    if uuid == own || made[uuid].map({ $0 != wanted }) == true { return nil }
    return try row[1]
  }

  private func formerLink(of uuid: String) throws -> String? {
    try connection.value(
      "SELECT former.uuid FROM item JOIN item AS former ON former.id = item.previous WHERE item.uuid = \(uuid)",
      as: String.self)
  }

  /// Links the items, whose numbers are given by their places in the file.
  func write(_ ids: [Int: Int64]) throws {
    // Two items can exchange the instances that they follow, so all are released first.
    for (index, wanted) in links {
      try connection.execute(
        """
        UPDATE item SET previous = NULL
        WHERE id = \(ids[index]) AND previous <> (SELECT id FROM item WHERE uuid = \(wanted))
        """)
    }
    for (index, wanted) in links {
      try connection.execute(
        """
        UPDATE item SET previous = (SELECT id FROM item WHERE uuid = \(wanted))
        WHERE id = \(ids[index]) AND previous IS NULL
        """)
    }
  }
}
