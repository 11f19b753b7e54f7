import DataSources
import FetchedResultsSupport

/// An editable data source as anybody could write one. It keeps all updates.
final class Ledger<Item: Sendable>: EditableDataSource {
  private let state: Locked<(snapshot: Snapshot<Item>, updates: [Update<Item>])>

  init(_ snapshot: Snapshot<Item>) { state = Locked((snapshot, [])) }

  var snapshot: Snapshot<Item> { state.withLock { $0.snapshot } }
  var told: [Update<Item>] { state.withLock { $0.updates } }

  func updates() -> AsyncStream<Update<Item>> { AsyncStream { $0.finish() } }
  func reload() async throws {}

  func edit<Result>(_ body: (inout Draft<Item>) throws -> Result) rethrows -> Result {
    var draft = Draft(snapshot)
    let result = try body(&draft)
    if let update = draft.update {
      state.withLock {
        $0.snapshot = update.new
        $0.updates.append(update)
      }
    }
    return result
  }
}
