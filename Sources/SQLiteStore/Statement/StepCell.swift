/// Where a statement writes which step it is at, so that a row can tell whether it is still the current one without holding
/// the statement.
///
/// The memory of a cell outlives its statement: it is used again for another one and never given back. Steps are unique in
/// the process, so that a row of a statement that is long gone finds another number, whoever has the cell by then.
@usableFromInline
struct StepCell {
  @usableFromInline let pointer: UnsafeMutablePointer<UInt64>

  /// A step that was current when it was taken.
  @usableFromInline
  struct Stamp {
    @usableFromInline let pointer: UnsafeMutablePointer<UInt64>?
    @usableFromInline let step: UInt64

    @inlinable @inline(__always)
    init(pointer: UnsafeMutablePointer<UInt64>?, step: UInt64) {
      self.pointer = pointer
      self.step = step
    }

    static var none: Stamp { Stamp(pointer: nil, step: 0) }

    @inlinable @inline(__always)
    var isCurrent: Bool { pointer.map { $0.pointee == step } ?? false }
  }

  @inlinable @inline(__always)
  var stamp: Stamp { Stamp(pointer: pointer, step: pointer.pointee) }

  @inlinable @inline(__always)
  func advance() { pointer.pointee &+= 1 }

  init() { pointer = Self.pool.withLock { Self.take() } }

  /// Leaves the cell to another statement.
  func leave() {
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
