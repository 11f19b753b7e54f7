import FetchedResultsSupport
import SQLiteStore
import Synchronization
import TodoCore

/// Detects that the database file is replaced or removed: the watched file would then never change again, without any
/// message.
final class FileGuard: Sendable {
  private let path: String
  private let identity: System.Identity?
  private let isGone = Atomic<Bool>(false)

  /// - Parameter path: The database; nil if it is in memory.
  init(_ path: String?) {
    self.path = path ?? ""
    identity = path.flatMap { System.identity(of: $0) }
  }

  /// Checks once a second, until the program ends; if the file is gone, calls `act`, once.
  func begin(_ act: @escaping @Sendable () -> Void) {
    guard identity != nil else { return }
    _ = BackgroundThread.start { [self] in
      // Check twice, because the file may be missing for a moment during a rename.
      var misses = 0
      while misses < 2 {
        System.sleep(milliseconds: 500)
        misses = System.identity(of: path) == identity ? 0 : misses + 1
      }
      isGone.store(true, ordering: .releasing)
      act()
    }
  }

  /// The error once the file is gone.
  var error: TodoError? {
    isGone.load(ordering: .acquiring)
      ? .inputOutput("\(path) was moved, removed or replaced by another file; start `todo watch` again") : nil
  }
}
