import SQLiteStore

/// Which items of a file follow which, checked together with the items of the database.
struct ImportedLinks {
  /// The places in the file of the items to link, and the UUIDs of the items that they are to follow.
  private(set) var links: [(index: Int, previous: String)] = []
  /// What is left out, one sentence for each.
  private(set) var warnings: [String] = []
  private let connection: Connection
  private let items: [ImportedItem]
  /// Which items of the database follow which.
  private var there = Followers()
  /// The places of the items that are linked as the file says.
  private var linked: Set<Int> = []

  /// - Parameter indices: The places in the file of the items that can be linked.
  init(_ connection: Connection, _ items: [ImportedItem], of indices: [Int]) throws {
    self.connection = connection
    self.items = items
    let following = indices.filter { items[$0].previous != nil }
    if following.isEmpty { return }
    there = try Followers(connection)
    let uuids = Set(items.compactMap(\.uuid))
    var taken: [String: Int] = [:]
    // Those that are linked already come first: they stay so.
    linked = Set(following.filter { items[$0].uuid.flatMap { there.previous[$0] } == items[$0].previous })
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
    repeat { leaveOutTaken() } while leaveOutCircles()
  }

  /// The places in the file of the items whose links are not in the database yet.
  var changed: [Int] { links.map(\.index).filter { !linked.contains($0) } }

  /// The links that are made, by the UUIDs of their items.
  private var made: [String: String] {
    Dictionary(
      links.compactMap { link in items[link.index].uuid.map { ($0, link.previous) } }, uniquingKeysWith: { $1 })
  }

  /// Leaves out each link to an instance that another item of the database keeps following. An item releases the
  /// instance that it follows only if its own new link is made, so leaving out one link can make another impossible.
  private mutating func leaveOutTaken() {
    var made = made
    var wanting: [String: Int] = [:]
    for (place, link) in links.enumerated() { wanting[link.previous] = place }
    var isLeftOut = Set<Int>()
    var unchecked = Array(links.indices.reversed())
    while let place = unchecked.popLast() {
      let link = links[place]
      guard !isLeftOut.contains(place), let other = follower(of: link.previous, items[link.index].uuid, made) else {
        continue
      }
      leaveOut(link.index, "\"\(other)\" follows the same instance here")
      isLeftOut.insert(place)
      guard let uuid = items[link.index].uuid else { continue }
      made[uuid] = nil
      // It keeps its own instance, which another link may be to.
      if let kept = there.previous[uuid], let next = wanting[kept] { unchecked.append(next) }
    }
    links = links.indices.filter { !isLeftOut.contains($0) }.map { links[$0] }
  }

  /// Leaves out the links by which items would follow themselves, also by way of others. Returns whether there were
  /// any.
  private mutating func leaveOutCircles() -> Bool {
    let made = made
    let new = Set(links.filter { !linked.contains($0.index) }.compactMap { items[$0.index].uuid })
    var broken: Set<String> = []
    var isDone: Set<String> = []
    for link in links {
      var path: [String] = []
      var places: [String: Int] = [:]
      var next = items[link.index].uuid
      while let uuid = next, !isDone.contains(uuid) {
        guard let start = places[uuid] else {
          places[uuid] = path.count
          path.append(uuid)
          next = made[uuid] ?? there.previous[uuid]
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
    warnings.append("\(item.place.prefix)\"\(item.title)\" is not made to follow another item: \(reason)")
  }

  private func isHere(_ uuid: String) throws -> Bool {
    try connection.value("SELECT EXISTS(SELECT 1 FROM item WHERE uuid = \(uuid))") == 1
  }

  /// The title of the item of the database that follows another one and goes on doing so, if an item does.
  private func follower(of wanted: String, _ own: String?, _ made: [String: String]) -> String? {
    guard let other = there.followers[wanted] else { return nil }
    if other.uuid == own || made[other.uuid].map({ $0 != wanted }) == true { return nil }
    return other.title
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

/// The items of the database that follow others.
private struct Followers {
  /// The UUID of the instance that an item follows, by the item's.
  var previous: [String: String] = [:]
  /// The item that follows an instance, by the instance's UUID.
  var followers: [String: (uuid: String, title: String)] = [:]

  init() {}

  init(_ connection: Connection) throws {
    let sql: SQL =
      "SELECT item.uuid, former.uuid, item.title FROM item JOIN item AS former ON former.id = item.previous"
    try connection.forEach(sql) { row in
      let (uuid, former): (String, String) = (try row[0], try row[1])
      previous[uuid] = former
      followers[former] = (uuid, try row[2])
    }
  }
}
