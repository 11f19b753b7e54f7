extension Snapshot {
  /// This list after one stage of a difference that ends in `new`, which gives what is inserted.
  ///
  /// Insertions of the stage are places of `new`, since a stage that has them leaves the rows where `new` has them.
  func applying(stage: Changes, on new: Snapshot) -> Snapshot {
    var result = self
    var arriving: [(path: ItemPath, item: Item)] = stage.insertedItems.map { ($0, new[$0]) }
    var leaving = stage.deletedItems
    for move in stage.movedItems {
      arriving.append((move.to, self[move.from]))
      leaving.append(move.from)
    }
    for update in stage.updatedItems { result.replace(at: update.from, with: new[update.to]) }
    for update in stage.updatedSections {
      result.replaceSection(at: update.from, with: result[update.from].named(as: new[update.to]))
    }
    for path in leaving.sorted().reversed() { result.remove(at: path) }
    var sections: [(index: Int, section: Section<Item>)] = stage.insertedSections.map { ($0, new[$0]) }
    for move in stage.movedSections { sections.append((move.to, result[move.from])) }
    for index in (stage.deletedSections + stage.movedSections.map(\.from)).sorted().reversed() {
      result.removeSection(at: index)
    }
    for (index, section) in sections.sorted(by: { $0.index < $1.index }) { result.insertSection(section, at: index) }
    for (path, item) in arriving.sorted(by: { $0.path < $1.path }) { result.insert(item, at: path) }
    return result
  }
}

extension Section {
  /// These rows under another section's name and titles.
  func named(as other: Section) -> Section { Section(info: other.info, items: rows) }
}
