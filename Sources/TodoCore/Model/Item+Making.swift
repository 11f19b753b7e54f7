extension Item {
  /// Creates an item for lists in memory, previews and tests. It is open and has no notes.
  public init(
    id: Int64, title: String, list: String = TodoStore.defaultList, tags: [String] = [], priority: Priority? = nil,
    due: Due? = nil, done: Bool = false
  ) {
    let digits = String(id, radix: 16)
    self.id = id
    uuid = "00000000-0000-4000-8000-" + String(repeating: "0", count: max(0, 12 - digits.utf8.count)) + digits
    self.title = title
    self.list = list
    self.tags = tags
    self.priority = priority
    self.due = due
    self.done = done
    notes = []
    archived = false
    listID = 0
    position = id
  }
}
