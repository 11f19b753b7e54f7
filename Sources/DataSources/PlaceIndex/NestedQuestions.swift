import FetchedResultsSupport

/// Counts nested searches for a path: an item's `id` may itself search a list.
///
/// Each nested search calls every `id` again, and this would never end. So up to 16 searches inside a search are
/// answered, and any search inside those finds nothing.
@usableFromInline enum NestedQuestions {
  private static let most: UInt = 16

  /// The thread's state: the nesting depth, and in the upper bits the number of searches that the outermost one has
  /// caused.
  private static let key: pthread_key_t = {
    var key = pthread_key_t()
    let status = pthread_key_create(&key, nil)
    require(status == 0, "no thread-local value can be made: error \(status)")
    return key
  }()

  private static var state: UInt {
    get { UInt(bitPattern: pthread_getspecific(key)) }
    set { pthread_setspecific(key, UnsafeRawPointer(bitPattern: newValue)) }
  }

  /// Begins a search; returns false if it is not allowed.
  @usableFromInline static func begin() -> Bool {
    let state = state
    let (depth, asked) = (state & 0xFF, state >> 8)
    if depth > 1 || asked >= most { return false }
    self.state = (depth + 1) | (depth == 0 ? 0 : (asked + 1) << 8)
    return true
  }

  /// Ends a search that ``begin()`` allowed.
  @usableFromInline static func end() {
    let state = state
    self.state = state & 0xFF > 1 ? state - 1 : 0
  }
}
