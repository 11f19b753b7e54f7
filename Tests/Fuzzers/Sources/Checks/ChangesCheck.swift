import DataSources
import DataSourcesTestSupport

/// The first byte says what the rest is: three lists whose differences keep the laws, a difference that may not fit its
/// list, or JSON that may hold one.
enum ChangesCheck {
  typealias List = Snapshot<Errand>

  static func run(_ bytes: [UInt8]) throws {
    var source = ByteSource(bytes)
    switch source.number(below: 4) {
    case 0, 1: try checkLaws(&source)
    case 2: try HostilePatchCheck.run(&source)
    default: try HostilePatchCheck.run(json: source.remainder())
    }
  }

  private static func checkLaws(_ source: inout ByteSource) throws {
    var lists = [EditedList(&source)]
    for _ in 0..<2 {
      guard let last = lists.last else { break }
      lists.append(source.number(below: 4) == 0 ? EditedList(&source) : try last.edited(&source))
    }
    let steps = zip(lists, lists.dropFirst()).map { Update(old: $0.list, new: $1.list) }
    for (old, new) in zip(lists, lists.dropFirst()) + [(lists[0], lists[2]), (lists[2], lists[0])] {
      try check(Update(old: old.list, new: new.list), "\(old) to \(new)")
    }
    let composed = Update(
      old: lists[0].list, new: lists[2].list, changes: steps[0].changes.appending(steps[1].changes))
    // A row that changes and changes back is reported as an update, so the result may not be minimal.
    try expectNone(Laws.replay(composed) + Laws.acceptable(composed), "composed: \(lists)")
    // Snapshots that were taken have not changed meanwhile.
    for list in lists { try list.check() }
  }

  private static func check(_ update: Update<Errand>, _ name: @autoclosure () -> String) throws {
    let changes = update.changes
    let inverse = Update(old: update.new, new: update.old, changes: changes.inverse)
    if changes.isEmpty {
      try expect(update.old == update.new, "no changes: \(name())")
    } else {
      try expectNone(Laws.violations(of: update) + Laws.violations(of: inverse), "\(changes): \(name())")
    }
    if insertsKnownSection(update) {
      // Lists whose section ids repeat can be compared, but a patch refuses a section that is there.
      let copy = try? update.old.applying(update.patch)
      try expect(copy == nil, "the patch inserts a section that is there: \(name())")
    } else {
      let copy = try must("the patch of \(name())") { try update.old.applying(update.patch) }
      try expect(copy == update.new, "the patch leads elsewhere: \(name())")
    }
    var last = update.old
    for stage in update.batches() {
      try expect(stage.old == last, "a stage begins elsewhere: \(name())")
      last = stage.new
    }
    try expect(changes.isEmpty || last == update.new, "the stages end elsewhere: \(name())")
    try expect(changes.inverse.inverse == changes, "the inverse of the inverse is another: \(name())")
  }

  private static func insertsKnownSection(_ update: Update<Errand>) -> Bool {
    let deleted = Set(update.changes.deletedSections)
    var ids = Set(update.old.indices.filter { !deleted.contains($0) }.map { update.old[$0].id })
    return update.changes.insertedSections.contains { !ids.insert(update.new[$0].id).inserted }
  }

  static func expectNone(_ violations: [Violation], _ name: @autoclosure () -> String) throws {
    if let first = violations.first { throw Finding("\(first); \(name())") }
  }
}
