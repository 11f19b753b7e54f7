public import FetchedResultsSupport

/// The order keys of rows: for each row, bytes that compare as the rows are sorted.
///
/// An entry is its length, the length of the part that identifies the section, and the bytes. All entries are in one
/// block of memory, so a million keys are one allocation.
///
/// Used by one thread at a time.
///
/// An engine's module inlines what it calls for each row. The compiler does that only if all that such a function uses
/// is `@usableFromInline` or `@inlinable`; `package` alone is not enough.
@usableFromInline
package final class KeyBuffer {
  /// Behind a pointer, because each access to a variable of a class is checked for exclusiveness, which would be most
  /// of the cost of a comparison.
  @usableFromInline package let state: UnsafeMutablePointer<State>

  @usableFromInline
  package struct State {
    @usableFromInline package var memory: UnsafeMutablePointer<UInt8>
    @usableFromInline package var capacity: Int
    @usableFromInline package var end = 0
    @usableFromInline package var liveSize = 0
    /// Where each entry begins.
    @usableFromInline package var starts: UnsafeMutablePointer<Int>
    @usableFromInline package var startsCapacity: Int
    @usableFromInline package var count = 0
  }

  @inlinable package static var headerSize: Int { 8 }

  package init(capacity: Int = 256) {
    let capacity = max(64, capacity)
    state = .allocate(capacity: 1)
    state.initialize(
      to: State(
        memory: .allocate(capacity: capacity), capacity: capacity, starts: .allocate(capacity: 4), startsCapacity: 4))
  }

  deinit {
    state.pointee.memory.deallocate()
    state.pointee.starts.deallocate()
    state.deallocate()
  }

  @inlinable package var count: Int { state.pointee.count }
  /// The end of the used memory.
  @inlinable package var end: Int { state.pointee.end }
  /// The memory that the live entries take.
  @inlinable package var liveSize: Int { state.pointee.liveSize }

  // MARK: Writing

  /// Begins an entry, and returns where. Write its bytes next, then call `endEntry`.
  @inlinable @inline(__always) @discardableResult
  package func beginEntry() -> Int {
    let start = state.pointee.end
    appendStart(start)
    reserve(Self.headerSize)
    state.pointee.end += Self.headerSize
    return start
  }

  @inlinable @inline(__always)
  func appendStart(_ start: Int) {
    if state.pointee.count == state.pointee.startsCapacity { growStarts() }
    state.pointee.starts[state.pointee.count] = start
    state.pointee.count += 1
  }

  /// Ends the part that identifies the section: all bytes from here to the end of the entry order the row within it.
  @inlinable @inline(__always)
  package func endSectionPart(of start: Int) {
    store(UInt32(truncatingIfNeeded: end - start - Self.headerSize), at: start + 4)
  }

  /// Records that the entry has no part that identifies a section.
  @inlinable @inline(__always)
  package func endEmptySectionPart(of start: Int) { store(0, at: start + 4) }

  @inlinable @inline(__always)
  package func endEntry(_ start: Int) {
    state.pointee.liveSize += end - start
    store(UInt32(truncatingIfNeeded: end - start - Self.headerSize), at: start)
  }

  @inlinable @inline(__always)
  func store(_ number: UInt32, at offset: Int) {
    UnsafeMutableRawPointer(state.pointee.memory + offset).storeBytes(of: number, as: UInt32.self)
  }

  @inlinable @inline(__always)
  func reserve(_ more: Int) {
    if state.pointee.end + more > state.pointee.capacity { grow(more) }
  }

  @inline(never) @usableFromInline
  func grow(_ more: Int) {
    let larger = max(state.pointee.capacity * 2, end + more)
    let fresh = UnsafeMutablePointer<UInt8>.allocate(capacity: larger)
    fresh.update(from: state.pointee.memory, count: end)
    state.pointee.memory.deallocate()
    state.pointee.memory = fresh
    state.pointee.capacity = larger
  }

  @inline(never) @usableFromInline
  func growStarts() {
    let fresh = UnsafeMutablePointer<Int>.allocate(capacity: count * 2)
    fresh.update(from: state.pointee.starts, count: count)
    state.pointee.starts.deallocate()
    state.pointee.starts = fresh
    state.pointee.startsCapacity = count * 2
  }

  @inlinable @inline(__always)
  func append(_ byte: UInt8) {
    reserve(1)
    state.pointee.memory[state.pointee.end] = byte
    state.pointee.end += 1
  }

  /// Eight bytes, the most significant first.
  @inlinable @inline(__always)
  func append(bigEndian number: UInt64) {
    reserve(8)
    UnsafeMutableRawPointer(state.pointee.memory + end).storeBytes(of: number.bigEndian, as: UInt64.self)
    state.pointee.end += 8
  }

  /// Appends a copy of an entry of another buffer.
  func append(entry index: Int, of other: KeyBuffer) { appendStart(copy(index, of: other)) }

  /// Replaces an entry with a copy of an entry of another buffer.
  func replace(_ slot: Int, with index: Int, of other: KeyBuffer) {
    state.pointee.liveSize -= size(slot)
    state.pointee.starts[slot] = copy(index, of: other)
  }

  private func copy(_ index: Int, of other: KeyBuffer) -> Int {
    let size = other.size(index)
    let start = end
    reserve(size)
    (state.pointee.memory + start).update(
      from: other.state.pointee.memory + other.state.pointee.starts[index], count: size)
    state.pointee.liveSize += size
    state.pointee.end += size
    return start
  }

  /// Removes the unused memory between the live entries.
  func compact() {
    let fresh = KeyBuffer(capacity: liveSize + liveSize / 2)
    for index in 0..<count { fresh.append(entry: index, of: self) }
    // The compiler does not count the pointer as a use of the object that frees it.
    withExtendedLifetime(fresh) { swap(&fresh.state.pointee, &state.pointee) }
  }

  // MARK: Reading

  /// Reads the beginning of an entry, so that it is loaded from memory by the time it is compared.
  @inlinable @inline(__always)
  func touch(_ index: Int) -> UInt32 {
    UnsafeRawPointer(state.pointee.memory + state.pointee.starts[index]).loadUnaligned(as: UInt32.self)
  }

  /// Begins to load where an entry is.
  @inline(__always)
  func prefetchStart(_ index: Int) { Processor.prefetch(state.pointee.starts + index) }

  /// Begins to load an entry, or the first bytes of a long one.
  @inline(__always)
  func prefetch(_ index: Int) { Processor.prefetch(state.pointee.memory + state.pointee.starts[index], 64) }

  /// The size of an entry in bytes.
  func size(_ index: Int) -> Int { Self.headerSize + bytes(index).count }

  /// The bytes of an entry.
  @inlinable @inline(__always)
  package func bytes(_ index: Int) -> UnsafeBufferPointer<UInt8> { part(index, 0) }

  /// The bytes of an entry that identify its section.
  @inlinable @inline(__always)
  package func sectionBytes(_ index: Int) -> UnsafeBufferPointer<UInt8> { part(index, 4) }

  @inlinable @inline(__always)
  func part(_ index: Int, _ length: Int) -> UnsafeBufferPointer<UInt8> {
    let start = state.pointee.memory + state.pointee.starts[index]
    return UnsafeBufferPointer(
      start: start + Self.headerSize, count: Int(UnsafeRawPointer(start + length).loadUnaligned(as: UInt32.self)))
  }

  /// Compares an entry with one of another buffer, byte by byte: below, at or above zero.
  @inlinable @inline(__always)
  package static func compare(_ left: KeyBuffer, _ leftIndex: Int, _ right: KeyBuffer, _ rightIndex: Int) -> Int {
    compare(left.bytes(leftIndex), right.bytes(rightIndex))
  }

  @inlinable @inline(__always)
  package static func compare(_ left: UnsafeBufferPointer<UInt8>, _ right: UnsafeBufferPointer<UInt8>) -> Int {
    guard let first = left.baseAddress, let second = right.baseAddress else { return left.count - right.count }
    let order = memcmp(first, second, min(left.count, right.count))
    return order == 0 ? left.count - right.count : Int(order)
  }
}
