/// An object whose last reference may not be released under a lock, because its `deinit` may run code of the user's.
protocol ReleasedLater: AnyObject {}

/// An error that is released later.
final class FormerError: ReleasedLater {
  private let error: any Error

  init(_ error: any Error) { self.error = error }
}

/// References that are kept until a lock is free.
struct ReleasePool {
  private var objects: [any ReleasedLater] = []

  mutating func keep(_ object: (any ReleasedLater)?) { if let object { objects.append(object) } }

  mutating func keep(_ error: (any Error)?) { if let error { objects.append(FormerError(error)) } }

  /// Returns the references. The pool is empty then.
  mutating func removeAll() -> [any ReleasedLater] {
    defer { objects = [] }
    return objects
  }
}
