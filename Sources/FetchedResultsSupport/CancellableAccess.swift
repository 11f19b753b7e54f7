import Synchronization

/// A use of a database that another thread can cancel. It runs one thing at a time.
package final class CancellableAccess: Sendable {
  private let cancelled = Atomic<Bool>(false)
  private let lock = Lock()
  // because every access is under `lock`
  nonisolated(unsafe) private var target: Target?

  /// What runs for the access, and how to interrupt it.
  private struct Target {
    let handle: OpaquePointer
    let interrupt: (OpaquePointer) -> Void
  }

  /// The access for calls that can't be cancelled.
  package static let uncancellable = CancellableAccess()

  package init() {}

  package var isCancelled: Bool { cancelled.load(ordering: .acquiring) }

  /// Cancels: interrupts what runs, and nothing more begins.
  package func cancel() {
    cancelled.store(true, ordering: .releasing)
    lock.withLock {
      if let target { target.interrupt(target.handle) }
    }
  }

  /// Sets what `cancel` interrupts from now on. `interrupt` is called under the access's lock, so it must be quick; it
  /// is not called after `detach`.
  ///
  /// An interruption alone could come between two statements, and would then be forgotten. So what runs must also check
  /// `isCancelled` from time to time.
  package func attach(_ handle: OpaquePointer, interrupt: @escaping (OpaquePointer) -> Void) {
    lock.withLock { target = Target(handle: handle, interrupt: interrupt) }
  }

  /// Removes what `cancel` interrupts, after `body` was called with it, if there is any.
  package func detach(_ body: (OpaquePointer) -> Void) {
    lock.withLock {
      if let target { body(target.handle) }
      target = nil
    }
  }
}
