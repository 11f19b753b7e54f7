import SQLiteStore

extension TodoStore {
  /// Edits items. Unmentioned fields stay unchanged; items that get another list are moved to its end.
  ///
  /// A title can be set for one item only.
  public func edit(_ selection: Selection, _ edit: ItemEdit) throws(TodoError) -> ChangeResult {
    return try apply(edit, to: selection, as: "edit")
  }

  /// Edits items one by one, and adds items, as one change.
  package func edit(
    _ edits: [(id: Int64, edit: ItemEdit)], adding drafts: [ItemDraft]
  ) throws(TodoError) -> ChangeResult {
    try change("edit") { changing in
      for (id, edit) in edits {
        guard let item = try changing.select(Selection(id)).first else { throw ItemQuery.missing("\(id)") }
        try changing.apply(edit, to: item)
      }
      for draft in drafts { changing.changed.append(try changing.insert(draft)) }
    }
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

  /// Adds a note to items, after their existing ones.
  public func note(_ text: String, to selection: Selection) throws(TodoError) -> ChangeResult {
    try Self.check(note: text)
    var edit = ItemEdit()
    edit.addedNotes = [text]
    return try apply(edit, to: selection, as: "note")
  }

  /// Replaces the note with a number, counted from 1, of each item; nil removes it.
  public func setNote(_ number: Int, of selection: Selection, to text: String?) throws(TodoError) -> ChangeResult {
    if let text { try Self.check(note: text) }
    return try change(text == nil ? "remove note" : "edit note") { changing in
      for item in try changing.select(selection) {
        guard item.notes.indices.contains(number - 1) else {
          throw TodoError.noSuchItem("item \(item.id) has no note \(number); `todo show \(item.id)` shows its notes")
        }
        var notes = item.notes
        notes.replaceSubrange(number - 1..<number, with: text.map { [$0] } ?? [])
        if notes.isIdentical(to: item.notes) {
          changing.unchanged.append(item)
          continue
        }
        let json = TextArray.json(notes)
        try changing.connection.execute("UPDATE item SET notes = \(json) WHERE id = \(item.id)")
        changing.changed.append(item.id)
      }
    }
  }

  private func apply(_ edit: ItemEdit, to selection: Selection, as verb: String) throws(TodoError) -> ChangeResult {
    try edit.check()
    return try change(verb) { changing in
      let items = try changing.select(selection)
      if edit.title != nil, items.count > 1 {
        throw TodoError.usage("a title is for one item, and these are \(items.count); edit them one by one")
      }
      for item in items { try changing.apply(edit, to: item) }
    }
  }
}

extension ChangeTransaction {
  /// Edits an item, which is unchanged if it needs no change.
  fileprivate mutating func apply(_ edit: ItemEdit, to item: Item) throws {
    var assignments: [SQL] = []
    if let title = edit.title, !title.utf8.elementsEqual(item.title.utf8) {
      assignments.append("title = \(title)")
      formerTitles[item.id] = item.title
    }
    if let name = edit.list {
      let list = try list(name)
      if list != item.listID {
        assignments.append("list = \(list), position = \(try Positions(connection).end(of: list))")
      }
    }
    let tags = ((edit.clearsTags ? [] : item.tags) + edit.addedTags).withoutRepeats.filter { tag in
      !edit.removedTags.contains { $0.utf8.elementsEqual(tag.utf8) }
    }
    let json = TextArray.json(tags)
    if !json.isIdentical(to: TextArray.json(item.tags)) { assignments.append("tags = \(json)") }
    if !edit.addedNotes.isEmpty { assignments.append("notes = \(TextArray.json(item.notes + edit.addedNotes))") }
    if case .set(let priority) = edit.priority, priority != item.priority {
      assignments.append("priority = \(priority?.rawValue ?? 0)")
    }
    if case .set(let wait) = edit.wait, wait != item.wait { assignments.append("wait = \(wait?.description)") }
    assignments += dueAssignments(edit, item)
    guard !assignments.isEmpty else { return unchanged.append(item) }
    let all = assignments.dropFirst().reduce(assignments[0]) { $0 + ", " + $1 }
    try connection.execute("UPDATE item SET \(all) WHERE id = \(item.id)")
    changed.append(item.id)
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
