import SQLiteStore
import Synchronization
import TodoCore

/// Sees when another file takes the place of the database, or none: what is watched then is nobody's any more, and would stand still
/// without a word.
final class FileGuard: Sendable {
  private let path: String
  private let identity: System.Identity?
  private let isGone = Atomic<Bool>(false)

  /// - Parameter path: The database; nil where it is in memory.
  init(_ path: String?) {
    self.path = path ?? ""
    identity = path.flatMap { System.identity(of: $0) }
  }

  /// Looks once a second, until the program ends; then `act` is called, once.
  func begin(_ act: @escaping @Sendable () -> Void) {
    guard identity != nil else { return }
    _ = BackgroundThread.start { [self] in
      // Twice, as between two names of a file there may be none for a moment.
      var misses = 0
      while misses < 2 {
        System.sleep(milliseconds: 500)
        misses = System.identity(of: path) == identity ? 0 : misses + 1
      }
      isGone.store(true, ordering: .releasing)
      act()
    }
  }

  /// What there is to say once the file is gone.
  var error: TodoError? {
    isGone.load(ordering: .acquiring)
      ? .inputOutput("\(path) was moved, removed or replaced by another file; start `todo watch` again") : nil
  }
}
