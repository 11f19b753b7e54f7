import SQLiteStore

extension TodoStore {
  /// Edits items. Unmentioned fields stay unchanged; items that get another list are moved to its end.
  ///
  /// A title can be set for one item only.
  public func edit(_ selection: Selection, _ edit: ItemEdit) throws(TodoError) -> ChangeResult {
    if edit.isEmpty {
      throw .usage("edit needs at least one change, as in: todo edit 3 \"New title\" !high due:fri")
    }
    return try apply(edit, to: selection, as: "edit")
  }

  /// Adds tags to items, and removes tags.
  public func tag(
    _ selection: Selection, adding added: [String] = [], removing removed: [String] = []
  ) throws(TodoError) -> ChangeResult {
    if added.isEmpty, removed.isEmpty { throw .usage("tag needs a tag, as in: todo tag 3 @errand") }
    var edit = ItemEdit()
    edit.addedTags = added
    edit.removedTags = removed
    return try apply(edit, to: selection, as: added.isEmpty ? "untag" : "tag")
  }

  private func apply(_ edit: ItemEdit, to selection: Selection, as verb: String) throws(TodoError) -> ChangeResult {
    if let title = edit.title { try Self.check(title: title) }
    try Self.check(tags: edit.addedTags)
    return try change(verb) { changing in
      let items = try changing.select(selection)
      if edit.title != nil, items.count > 1 {
        throw TodoError.usage("a title is for one item, and these are \(items.count); edit them one by one")
      }
      for item in items {
        if try changing.apply(edit, to: item) {
          changing.changed.append(item.id)
        } else {
          changing.unchanged.append(item)
        }
      }
    }
  }
}

extension ChangeTransaction {
  /// Edits an item; returns false if nothing changed.
  fileprivate func apply(_ edit: ItemEdit, to item: Item) throws -> Bool {
    var assignments: [SQL] = []
    if let title = edit.title, !title.utf8.elementsEqual(item.title.utf8) { assignments.append("title = \(title)") }
    if let name = edit.list {
      let list = try list(name)
      if list != item.listID {
        assignments.append("list = \(list), position = \(try Positions(connection).end(of: list))")
      }
    }
    let tags = (item.tags + edit.addedTags).withoutRepeats.filter { tag in
      !edit.removedTags.contains { $0.utf8.elementsEqual(tag.utf8) }
    }
    let json = TextArray.json(tags)
    if !json.isIdentical(to: TextArray.json(item.tags)) { assignments.append("tags = \(json)") }
    if case .set(let priority) = edit.priority, priority != item.priority {
      assignments.append("priority = \(priority?.rawValue ?? 0)")
    }
    if case .set(let wait) = edit.wait, wait != item.wait { assignments.append("wait = \(wait?.description)") }
    assignments += dueAssignments(edit, item)
    guard !assignments.isEmpty else { return false }
    let all = assignments.dropFirst().reduce(assignments[0]) { $0 + ", " + $1 }
    try connection.execute("UPDATE item SET \(all) WHERE id = \(item.id)")
    return true
  }

  private func dueAssignments(_ edit: ItemEdit, _ item: Item) -> [SQL] {
    var due = item.due
    var every = item.every
    if case .set(let value) = edit.due { due = value }
    if case .set(let value) = edit.every { every = value }
    guard due != item.due || every != item.every else { return [] }
    // A recurrence starts again with whatever changes it.
    let columns = DueColumns(due, every, moment.zone)
    var assignments: [SQL] = [
      "every = \(every?.nearest.rawValue), rhythm = \(every?.rhythm)",
      "anchor = \(columns.anchor?.time), zone = \(columns.anchor?.zone)",
    ]
    if due != item.due { assignments.append("due = \(columns.due), due_day = \(columns.day)") }
    return assignments
  }
}
