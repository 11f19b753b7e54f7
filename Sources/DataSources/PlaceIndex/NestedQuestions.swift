#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

/// Counts the questions for a path that the answering of another one asks: an item's `id` may look itself up in a list.
///
/// Each of them asks every `id` again, without end if nobody stops it. So a question inside a question is answered, up to 16 of
/// them, and a question inside of those finds nothing.
@usableFromInline enum NestedQuestions {
  private static let most: UInt = 16

  /// The thread's state: how deep it is, and in the upper bits how many questions the outermost one has led to.
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

  /// Begins a question; false where it must not be asked.
  @usableFromInline static func begin() -> Bool {
    let state = state
    let (depth, asked) = (state & 0xFF, state >> 8)
    if depth > 1 || asked >= most { return false }
    self.state = (depth + 1) | (depth == 0 ? 0 : (asked + 1) << 8)
    return true
  }

  /// Ends the question that ``begin()`` allowed.
  @usableFromInline static func end() {
    let state = state
    self.state = state & 0xFF > 1 ? state - 1 : 0
  }
}
