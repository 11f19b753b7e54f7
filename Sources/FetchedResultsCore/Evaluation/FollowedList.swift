import DataSources
import RowModel

/// A list that is followed, and its request.
final class FollowedList<E: Entity>: ReleasedLater {
  let request: RequestVersion<E>
  let list: ResultList
  /// Its rows.
  let storage: RowStorage<E>
  /// Whether an error interrupted a change of the list, so that it can't be used any more.
  var isBroken = false

  /// A list that has yet to be loaded. `former` is the published list.
  init(
    _ request: RequestVersion<E>, _ query: any ResultQuery, _ operations: EntityOperations<E>, former: Snapshot<E>
  ) {
    let (storage, rows) = operations.makeStorage()
    storage.former = former
    self.request = request
    self.storage = storage
    list = ResultList(query, rows, window: request.request.window)
  }

  /// The contents of the shown rows by their ids, if rows can't be compared.
  private func contents(former: Bool = false) -> [E.ID: UInt64] {
    var contents: [E.ID: UInt64] = [:]
    for (place, item) in storage.rows.items.enumerated() {
      contents[item.id] = list.content(ofShown: place, former: former)
    }
    return contents
  }

  /// The difference between the published list and this list, which was just loaded. `current` knows the contents of
  /// the published list.
  func update(from old: Snapshot<E>, _ current: FollowedList?, _ operations: EntityOperations<E>) -> Update<E> {
    let changes: Changes
    if !operations.canCompare, let current {
      let before = current.contents()
      let after = contents(former: true)
      changes = operations.changes(old, storage.shown) { before[$0.id] == after[$1.id] }
    } else {
      changes = operations.changes(old, storage.shown, nil)
    }
    list.formerFingerprints = []
    storage.former = nil
    return Update(old: old, new: storage.shown, changes: changes)
  }
}

/// A request as it was set. It gets another number each time, which identifies the request without comparing
/// them.
final class RequestVersion<E: Entity>: ReleasedLater, Sendable {
  let request: FetchRequest<E>
  let number: Int

  init(_ request: FetchRequest<E>, number: Int) {
    self.request = request
    self.number = number
  }
}
