import DataSources
import RowModel

// Following a list row by row.

extension Evaluation {
  /// The entity's rows that depend on the changes.
  private struct AffectedRows {
    var keys: [RowKey] = []
    /// How many rows have changed.
    var changed = 0
    /// Whether the sections that exist without rows must be read again.
    var readsHeaders = false
  }

  /// Edits the list for the commits that were drained.
  mutating func edit(_ current: FollowedList<E>, _ view: any EngineView) throws -> Outcome {
    if attempt.mustReplace(current.request.number) { return .otherRequest }
    current.storage.foundUnreadable = false
    var reasons: [Reason] = []
    if current.isBroken { reasons.append(.recovery) }
    if let reload = work.reload, reload != .newRequest { reasons.append(reload) }
    if reasons.isEmpty, try current.list.query.isOvertaken(view) { reasons.append(.schema) }
    if reasons.isEmpty, work.commits > 0, view.mayHoldUnreported { reasons.append(.unreported) }
    guard reasons.isEmpty else { return .needsWholeQuery(reasons) }
    result.work.reads = 1
    if work.commits == 0 { return .nothingToDo }
    do {
      let affected = try affectedRows(current.list, view, &reasons)
      if affected.keys.count > 1000, affected.keys.count > current.list.slots.count / 2 { reasons.append(.mostRows) }
      guard reasons.isEmpty else { return .needsWholeQuery(reasons) }
      try edit(current, affected, view)
      return .edited
    } catch is CostlierThanWhole {
      return .needsWholeQuery([.costlyRows])
    } catch {
      // The read can be newer than the commits that were drained, so rows may seem to contradict each other. Other
      // errors may also be of this read alone: of rows outside the window, or of another way to evaluate a condition.
      // In these cases the whole query may succeed. It would not get past a row that can't be read.
      if !current.isBroken, current.storage.foundUnreadable, !current.list.isWindowed { throw error }
      return .needsWholeQuery([.recovery])
    }
  }

  /// The entity's rows that depend on the changes. Adds to `reasons` if they can't be determined.
  private func affectedRows(
    _ list: ResultList, _ view: any EngineView, _ reasons: inout [Reason]
  ) throws -> AffectedRows {
    var affected = AffectedRows()
    for (number, dependency) in list.query.dependencies.enumerated() {
      guard let change = work.changes[dependency.table] else { continue }
      if dependency.role == .headers {
        affected.readsHeaders = true
        continue
      }
      let rows: [RowKey]
      switch change {
      case .everything(let reason):
        reasons.append(.stated(reason))
        continue
      case .rows(let keys): rows = keys
      }
      affected.changed += rows.count
      if let reason = list.reason {
        reasons.append(.stated(reason))
        continue
      }
      switch dependency.role {
      case .whole(let reason): reasons.append(.stated(reason))
      case .entity:
        affected.keys += rows
      case .partner(let partner):
        for row in rows {
          list.partners[partner].forEachSlot(of: row) { slot in
            if let key = list.index?.key(slot) { affected.keys.append(key) }
          }
        }
        fallthrough
      case .bystander:
        if dependency.needsOldState, work.lacksOldState {
          reasons.append(.lacksOldState(table: dependency.table))
          continue
        }
        affected.keys += try keys(list, rows, number, view)
      case .common(let reason):
        if work.lacksOldState {
          reasons.append(.lacksOldState(table: dependency.table))
        } else if try !keys(list, rows, number, view).isEmpty {
          reasons.append(.stated(reason))
        }
      case .headers: break
      }
    }
    if affected.keys.count > 1 {
      var seen: Set<RowKey> = []
      affected.keys = affected.keys.filter { seen.insert($0).inserted }
    }
    return affected
  }

  /// What a query finds for the changed rows of a dependency, before the commits and after them.
  private func keys(
    _ list: ResultList, _ rows: [RowKey], _ dependency: Int, _ view: any EngineView
  ) throws -> [RowKey] {
    var limit = SearchLimit.none
    return try list.query.affected(by: rows, of: dependency, within: &limit, view)
      + (work.before[.init(list.query, dependency)] ?? [])
  }

  private mutating func edit(
    _ current: FollowedList<E>, _ affected: AffectedRows, _ view: any EngineView
  ) throws {
    let list = current.list
    list.isChanging = false
    do {
      result.rowsRead = try list.update(affected.keys, view)
      if affected.readsHeaders {
        list.isChanging = true
        try list.setHeaders(list.query.headers(view), view)
      }
      try list.show(view)
    } catch {
      if list.isChanging {
        current.isBroken = true
        list.restoreContents()
      }
      throw error
    }
    list.endChange()
    result.readsHeaders = affected.readsHeaders
    result.work = list.work
    result.work.reads = 1
    result.work.sections += list.storage.takeVisits()
    result.work.changed = affected.changed
    result.work.affected = affected.keys.count
  }

  /// Compares the list after an edit with the published one.
  mutating func takeDifference(of current: FollowedList<E>) {
    let (old, new) = (core.broadcaster.snapshot, current.storage.shown)
    let changes: Changes
    let list = current.list
    if list.headers.isEmpty, !result.readsHeaders, let known = list.single?.changes ?? list.several?.changes() {
      changes = known
    } else if core.operations.canCompare {
      changes = core.operations.changes(old, new, nil)
    } else {
      let changed = current.storage.changedIDs
      changes = core.operations.changes(old, new) { _, new in !changed.contains(new.id) }
    }
    setUpdate(Update(old: old, new: new, changes: changes))
  }
}
