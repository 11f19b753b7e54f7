import DataSources
import FetchedResultsSupport

/// A reader that receives every update immediately.
final class UpdateRecorder<Item: Sendable>: Sendable {
  private let taken = Locked<(updates: [Update<Item>], hasEnded: Bool)>(([], false))
  private let task: Locked<Task<Void, Never>?>

  init(_ updates: AsyncStream<Update<Item>>) {
    task = Locked(nil)
    let taken = taken
    let reading = Task {
      for await update in updates { taken.withLock { $0.updates.append(update) } }
      taken.withLock { $0.hasEnded = true }
    }
    task.withLock { $0 = reading }
  }

  deinit { cancel() }

  var updates: [Update<Item>] { taken.withLock { $0.updates } }
  var hasEnded: Bool { taken.withLock { $0.hasEnded } }

  func cancel() { task.withLock { $0 }?.cancel() }

  /// Waits until a condition on it is true; returns false if that takes too long.
  func waits(_ patience: Duration, for condition: (UpdateRecorder) -> Bool) async -> Bool {
    let end = ContinuousClock.now.advanced(by: patience)
    while !condition(self) {
      if ContinuousClock.now > end { return false }
      try? await Task.sleep(for: .milliseconds(1))
    }
    return true
  }
}
