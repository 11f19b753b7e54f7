import DataSourcesTestSupport
import FetchedResults
import FetchedResultsSupport
import TestSupport
import Testing

/// `SEED=n` repeats the pair that failed.
@Suite struct DelegateRandomTests {
  /// A list of some sections of a few ids and some rows of a few ids, in any order.
  private func list(mayRepeat: Bool, using random: inout SeededGenerator) -> Snapshot<Card> {
    var names = ["A", "B", "C", "D", "E"].shuffled(using: &random)
    names.removeLast(.random(in: 0...names.count, using: &random))
    if mayRepeat, let name = names.first { names.append(name) }
    var parts: [[Card]] = names.map { _ in [] }
    var ids = Array(0..<12).shuffled(using: &random)
    ids.removeLast(.random(in: 0...ids.count, using: &random))
    if mayRepeat { ids += (0..<4).map { _ in .random(in: 0..<12, using: &random) } }
    if Bool.random(using: &random) { ids.sort() }
    for id in ids where !parts.isEmpty {
      let part = Int.random(in: parts.indices, using: &random)
      parts[part].append(Card(id, Int.random(in: 0..<4, using: &random) == 0 ? 1 : 0))
    }
    return Snapshot(
      zip(names, parts).map { id, rows in
        let name = Int.random(in: 0..<6, using: &random) == 0 ? "\(id)!" : id
        return Section(id: .text(id), name: name, items: rows)
      })
  }

  /// Changes a list a little.
  private func edit(_ list: inout Snapshot<Card>, nextID: inout Int, using random: inout SeededGenerator) {
    nextID += 1
    guard !list.isEmpty else {
      return list.insertSection(Section(id: .integer(Int64(nextID)), name: "\(nextID)", items: [Card(nextID)]), at: 0)
    }
    let place = Int.random(in: list.indices, using: &random)
    let path =
      list.numberOfItems == 0 ? nil : list.path(atOffset: .random(in: 0..<list.numberOfItems, using: &random))
    switch (Int.random(in: 0..<9, using: &random), path) {
    case (0, _): list.moveSection(from: place, to: .random(in: list.indices, using: &random))
    case (1, _): list.updateSection(at: place) { $0.name += "!" }
    case (2, _): list.removeSection(at: place)
    case (3, _):
      let cards = (0..<nextID % 3).map { Card(1000 * nextID + $0) }
      list.insertSection(Section(id: .integer(Int64(nextID)), name: "\(nextID)", items: cards), at: place)
    case (4, let path?): list.remove(at: path)
    case (5, let path?): list.replace(at: path, with: Card(list[path].id, list[path].version + 1))
    case (6, let path?), (7, let path?):
      let room = list[place].items.count + (path.section == place ? 0 : 1)
      list.move(from: path, to: ItemPath(section: place, item: .random(in: 0..<room, using: &random)))
    default: list.insert(Card(nextID), at: ItemPath(section: place, item: list[place].items.count))
    }
  }

  @Test func `any two lists are reported in a form a table accepts`() {
    for seed in Seeds.range(4000) {
      var random = SeededGenerator(seed: seed)
      let mayRepeat = seed % 4 == 3
      let old = list(mayRepeat: mayRepeat, using: &random)
      let update = Update(old: old, new: list(mayRepeat: mayRepeat, using: &random))
      let violations = TableSimulator.violations(of: update.delegateEvents(), in: update)
      #expect(violations == [], "\(old.text) to \(update.new.text), SEED=\(seed)")
      if !violations.isEmpty { return }
    }
  }

  @Test func `the delegate events of a few random edits are what a table accepts`() {
    for seed in Seeds.range(4000) {
      var random = SeededGenerator(seed: seed)
      var list = list(mayRepeat: false, using: &random)
      var nextID = 100
      for _ in 0..<3 {
        let old = list
        for _ in 0...Int.random(in: 0..<5, using: &random) { edit(&list, nextID: &nextID, using: &random) }
        let update = Update(old: old, new: list)
        let violations = TableSimulator.violations(of: update.delegateEvents(), in: update)
        #expect(violations == [], "\(old.text) to \(list.text), SEED=\(seed)")
        if !violations.isEmpty { return }
      }
    }
  }

  @Test func `a call that is missing, repeated, early, at another place or of another row is noticed`() {
    var tried = 0
    for seed in Seeds.range(1200) {
      var random = SeededGenerator(seed: seed)
      let old = list(mayRepeat: false, using: &random)
      let update = Update(old: old, new: list(mayRepeat: false, using: &random))
      let events = update.delegateEvents()
      for (number, event) in events.enumerated() {
        tried += 1
        var fewer = events
        fewer.remove(at: number)
        var more = events
        more.insert(event, at: number)
        var other = events
        other[number] = event.elsewhere
        var foreign = events
        foreign[number] = event.withOtherContent
        var early = events
        if number > 0 { early.swapAt(number - 1, number) } else { early.remove(at: number) }
        for wrong in [fewer, more, other, foreign, early] {
          #expect(TableSimulator.violations(of: wrong, in: update) != [], "\(event.text), SEED=\(seed)")
        }
      }
    }
    #expect(Seeds.repeated != nil || tried > 1500)
  }

  @Test func `a call that need not be is noticed`() {
    func rules(_ calls: [DelegateEvent<Card>], _ old: String, _ new: String) -> [String] {
      TableSimulator.violations(of: calls, in: Update(old: Snapshot<Card>(old), new: Snapshot<Card>(new))).map(\.rule)
    }
    func row(_ id: Int, _ from: Int?, _ type: FetchedResultsChangeType, _ to: Int?) -> DelegateEvent<Card> {
      .object(
        Card(id), at: from.map { ItemPath(section: 0, item: $0) }, type,
        newIndexPath: to.map { ItemPath(section: 0, item: $0) })
    }
    #expect(
      rules([row(1, 0, .delete, nil), row(1, nil, .insert, 2)], "A: 1 2 3", "A: 2 3 1") == ["a row goes and comes"])
    #expect(
      rules([row(2, 1, .move, 0), row(3, 2, .move, 1)], "A: 1 2 3", "A: 2 3 1")
        == ["a move that need not be", "a move that need not be"])
    #expect(
      rules([row(2, 1, .update, 1)], "A: 1 2", "A: 1 2")
        == ["no calls for changes, or calls for none", "a row that does not differ is updated"])
  }

  @Test func `where no section changes and no row moves, the calls can be carried out one by one`() {
    var carriedOut = 0
    for seed in Seeds.range(4000) {
      var random = SeededGenerator(seed: seed)
      let old = list(mayRepeat: false, using: &random)
      var new = old
      for path in old.paths.reversed() {
        switch Int.random(in: 0..<5, using: &random) {
        case 0: new.remove(at: path)
        case 1: new.replace(at: path, with: Card(old[path].id, 7))
        case 2: new.insert(Card(1000 + 100 * path.section + path.item), at: path)
        default: break
        }
      }
      var rows = old.map { Array($0.items) }
      for event in Update(old: old, new: new).delegateEvents() {
        carriedOut += 1
        switch event {
        case .object(_, let path?, .delete, nil) where path.item < rows[path.section].count:
          rows[path.section].remove(at: path.item)
        case .object(let card, nil, .insert, let path?) where path.item <= rows[path.section].count:
          rows[path.section].insert(card, at: path.item)
        case .object(let card, _?, .update, let path?) where path.item < rows[path.section].count:
          rows[path.section][path.item] = card
        default: Issue.record("\(event.text), SEED=\(seed)")
        }
      }
      #expect(rows == new.map { Array($0.items) }, "\(old.text) to \(new.text), SEED=\(seed)")
    }
    #expect(Seeds.repeated != nil || carriedOut > 1500)
  }
}

extension DelegateEvent<Card> {
  /// The same call with another row or section than that at its place.
  fileprivate var withOtherContent: DelegateEvent {
    switch self {
    case .section(var section, let index, let type):
      section.name += "?"
      return .section(section, index: index, type)
    case .object(let item, let at, let type, let to):
      return .object(Card(item.id, item.version + 7), at: at, type, newIndexPath: to)
    }
  }

  /// The same call with its old place, or the new one where there is no other, one further.
  fileprivate var elsewhere: DelegateEvent {
    switch self {
    case .section(let section, let index, let type): .section(section, index: index + 1, type)
    case .object(let item, let at, let type, let to):
      if let at {
        .object(item, at: ItemPath(section: at.section, item: at.item + 1), type, newIndexPath: to)
      } else {
        .object(item, at: at, type, newIndexPath: to.map { ItemPath(section: $0.section, item: $0.item + 1) })
      }
    }
  }
}
