import FetchedResultsSupport

/// The current step of a statement, in memory that outlives the statement. A row uses it to check that it is still the
/// current one, without holding the statement.
///
/// A cell is reused for another statement and never freed. Step numbers are unique in the process, so a row of a
/// statement that no longer exists finds a different number, whichever statement has the cell by then.
@usableFromInline
package struct StepCell {
  @usableFromInline let pointer: UnsafeMutablePointer<UInt64>  // because it is never freed

  /// A step that was current when it was recorded.
  @usableFromInline
  package struct Stamp {
    @usableFromInline let pointer: UnsafeMutablePointer<UInt64>?
    @usableFromInline package let step: UInt64

    @inlinable @inline(__always)
    init(pointer: UnsafeMutablePointer<UInt64>?, step: UInt64) {
      self.pointer = pointer
      self.step = step
    }

    package static var none: Stamp { Stamp(pointer: nil, step: 0) }

    @inlinable @inline(__always)
    package var isCurrent: Bool { pointer.map { $0.pointee == step } ?? false }
  }

  @inlinable @inline(__always)
  package var stamp: Stamp { Stamp(pointer: pointer, step: pointer.pointee) }

  @inlinable @inline(__always)
  package func advance() { pointer.pointee &+= 1 }

  package init() { pointer = Self.pool.withLock { Self.take() } }

  /// Returns the cell for use by another statement.
  package func leave() {
    pointer.pointee &+= 1
    Self.pool.withLock { Self.free.append(pointer) }
  }

  private static let pool = Lock()
  // because every access is under `pool`
  nonisolated(unsafe) private static var free: [UnsafeMutablePointer<UInt64>] = []
  // because every access is under `pool`
  nonisolated(unsafe) private static var next: UInt64 = 1

  private static func take() -> UnsafeMutablePointer<UInt64> {
    let pointer = free.popLast() ?? .allocate(capacity: 1)
    // Room for a million million steps before the next statement's numbers begin.
    pointer.initialize(to: next << 40)
    next += 1
    return pointer
  }
}
