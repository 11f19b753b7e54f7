import SQLiteStore

/// Which items of a file follow which, checked together with the items of the database.
struct ImportedLinks {
  /// The places in the file of the items to link, and the UUIDs of the items that they are to follow.
  private(set) var links: [(index: Int, previous: String)] = []
  /// What is left out, one sentence for each.
  private(set) var warnings: [String] = []
  private let connection: Connection
  private let items: [ImportedItem]
  /// The UUIDs that the items of the file have and follow.
  private var uuids: Set<String> = []
  private var previous: [String: String] = [:]

  /// - Parameter indices: The places in the file of the items that are written.
  init(_ connection: Connection, _ items: [ImportedItem], writing indices: [Int]) throws {
    self.connection = connection
    self.items = items
    let following = indices.filter { items[$0].previous != nil }
    if following.isEmpty { return }
    uuids = Set(items.compactMap(\.uuid))
    for index in following {
      if let uuid = items[index].uuid { previous[uuid] = items[index].previous }
    }
    let circular = try breakCircles(following)
    var taken: [String: Int] = [:]
    for index in following {
      guard let wanted = items[index].previous else { continue }
      if let uuid = items[index].uuid, circular.contains(uuid) {
        leaveOut(index, "it would follow itself")
      } else if try !uuids.contains(wanted) && !isHere(wanted) {
        leaveOut(index, "the instance that it follows is neither in the file nor here")
      } else if let other = taken[wanted] {
        leaveOut(index, "\"\(items[other].title)\" follows the same instance")
      } else if let other = try follower(of: wanted, items[index].uuid) {
        leaveOut(index, "\"\(other)\" follows the same instance here")
      } else {
        taken[wanted] = index
        links.append((index, wanted))
      }
    }
  }

  private mutating func leaveOut(_ index: Int, _ reason: String) {
    let item = items[index]
    let place = item.place.map { "\($0): " } ?? ""
    warnings.append("\(place)\"\(item.title)\" is no later instance of another item now: \(reason)")
  }

  private func isHere(_ uuid: String) throws -> Bool {
    try connection.value("SELECT EXISTS(SELECT 1 FROM item WHERE uuid = \(uuid))") == 1
  }

  /// The title of the item of the database that follows another one and goes on doing so; nil if there is none.
  private func follower(of wanted: String, _ own: String?) throws -> String? {
    let row = try connection.row(
      "SELECT item.uuid, item.title FROM item JOIN item AS former ON former.id = item.previous WHERE former.uuid = \(wanted)"
    )
    guard let row else { return nil }
    let uuid: String = try row[0]
    if uuid == own || previous[uuid].map({ $0 != wanted }) == true { return nil }
    return try row[1]
  }

  /// Takes the links away by which items would follow themselves, also by way of others. Returns their items' UUIDs.
  private mutating func breakCircles(_ following: [Int]) throws -> Set<String> {
    var broken: Set<String> = []
    var isDone: Set<String> = []
    for index in following {
      var path: [String] = []
      var next = items[index].uuid
      while let uuid = next, !isDone.contains(uuid) {
        guard let start = path.firstIndex(of: uuid) else {
          path.append(uuid)
          next = try previous[uuid] ?? formerLink(of: uuid)
          continue
        }
        // One of the links is the file's, because there is no circle without it.
        if let last = path[start...].last(where: { previous[$0] != nil }) {
          previous[last] = nil
          broken.insert(last)
        }
        break
      }
      isDone.formUnion(path)
    }
    return broken
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
