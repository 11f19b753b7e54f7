import SQLiteStore

/// Which items of a file follow which, checked together with the items of the database.
struct ImportedLinks {
  /// The places in the file of the items to link, and the UUIDs of the items that they are to follow.
  private var links: [(index: Int, previous: String)] = []
  /// The places of those whose links are not in the database yet.
  private(set) var changed: [Int] = []
  /// What is left out, one sentence for each.
  private(set) var warnings: [String] = []

  /// - Parameter indices: The places in the file of the items that can be linked.
  init(_ connection: Connection, _ items: [ImportedItem], of indices: [Int]) throws {
    let following = indices.filter { items[$0].previous != nil }
    if following.isEmpty { return }
    // Which items of the database follow which, by their UUIDs.
    var previous: [String: String] = [:]
    var followers: [String: (uuid: String, title: String)] = [:]
    let sql: SQL =
      "SELECT item.uuid, former.uuid, item.title FROM item JOIN item AS former ON former.id = item.previous"
    try connection.forEach(sql) { row in
      let (uuid, former): (String, String) = (try row[0], try row[1])
      previous[uuid] = former
      followers[former] = (uuid, try row[2])
    }
    let isThere = { (index: Int) in items[index].uuid.flatMap { previous[$0] } == items[index].previous }
    func leaveOut(_ index: Int, _ reason: String) {
      warnings.append(
        "\(items[index].place.prefix)\"\(items[index].title)\" is not made to follow another item: \(reason)")
    }
    let uuids = Set(items.compactMap(\.uuid))
    var taken: [String: Int] = [:]
    // Those that are linked already come first: they stay so.
    for index in following.filter(isThere) + following.filter({ !isThere($0) }) {
      guard let former = items[index].previous else { continue }
      if former == items[index].uuid, !isThere(index) {
        leaveOut(index, "it would follow itself")
      } else if try !uuids.contains(former) && !Self.isHere(former, connection) {
        leaveOut(index, "the instance that it follows is neither in the file nor here")
      } else if let other = taken[former] {
        leaveOut(index, "\"\(items[other].title)\" follows the same instance")
      } else {
        taken[former] = index
        links.append((index, former))
      }
    }
    // An item of the database releases the instance that it follows only if its own new link is made, so leaving out
    // one link can make another impossible.
    var count: Int
    repeat {
      count = links.count
      let released = Set(links.filter { !isThere($0.index) }.compactMap { items[$0.index].uuid })
      links.removeAll { link in
        guard let other = followers[link.previous], other.uuid != items[link.index].uuid, !released.contains(other.uuid)
        else { return false }
        leaveOut(link.index, "\"\(other.title)\" follows the same instance here")
        return true
      }
    } while links.count < count
    changed = links.map(\.index).filter { !isThere($0) }
  }

  private static func isHere(_ uuid: String, _ connection: Connection) throws -> Bool {
    try connection.value("SELECT EXISTS(SELECT 1 FROM item WHERE uuid = \(uuid))") == 1
  }

  /// Links the items, whose numbers are given by their places in the file.
  func write(_ connection: Connection, _ ids: [Int: Int64]) throws {
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
