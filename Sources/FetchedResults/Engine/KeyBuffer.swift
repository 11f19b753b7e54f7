#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The order keys of rows: for each, bytes that compare as the rows are sorted.
///
/// An entry is the number of its bytes, the number of those that say which section the row is in, and the bytes. All are
/// in one block of memory, so that a million keys are one allocation.
///
/// Used by one thread at a time.
final class KeyBuffer {
  private var memory: UnsafeMutablePointer<UInt8>
  private var capacity: Int
  /// The end of what is in use.
  private(set) var end = 0
  /// Where each entry begins.
  var starts: ContiguousArray<Int> = []

  static let headerSize = 8

  init(capacity: Int = 256) {
    self.capacity = max(64, capacity)
    memory = .allocate(capacity: self.capacity)
  }

  deinit { memory.deallocate() }

  var count: Int { starts.count }

  // MARK: Writing

  /// Begins an entry; its bytes are written next, and `endEntry` closes it.
  @inline(__always)
  func beginEntry() {
    starts.append(end)
    reserve(Self.headerSize)
    end += Self.headerSize
  }

  /// All bytes from here to the end of the entry are the row's place within its section.
  @inline(__always)
  func endSectionPart(of start: Int) {
    store(UInt32(truncatingIfNeeded: end - start - Self.headerSize), at: start + 4)
  }

  /// There is no such part.
  @inline(__always)
  func endEmptySectionPart(of start: Int) { store(0, at: start + 4) }

  @inline(__always)
  func endEntry(_ start: Int) {
    liveSize += end - start
    store(UInt32(truncatingIfNeeded: end - start - Self.headerSize), at: start)
  }

  @inline(__always)
  private func store(_ number: UInt32, at offset: Int) {
    UnsafeMutableRawPointer(memory + offset).storeBytes(of: number, as: UInt32.self)
  }

  @inline(__always)
  func reserve(_ more: Int) {
    if end + more > capacity { grow(more) }
  }

  @inline(never)
  private func grow(_ more: Int) {
    let larger = max(capacity * 2, end + more)
    let fresh = UnsafeMutablePointer<UInt8>.allocate(capacity: larger)
    fresh.update(from: memory, count: end)
    memory.deallocate()
    memory = fresh
    capacity = larger
  }

  @inline(__always)
  func append(_ byte: UInt8) {
    reserve(1)
    memory[end] = byte
    end += 1
  }

  /// Eight bytes, the most significant first.
  @inline(__always)
  func append(bigEndian number: UInt64) {
    reserve(8)
    UnsafeMutableRawPointer(memory + end).storeBytes(of: number.bigEndian, as: UInt64.self)
    end += 8
  }

  /// Copies an entry of another buffer, as the last one.
  func append(entry index: Int, of other: KeyBuffer) {
    starts.append(copy(entryAt: other.starts[index], of: other))
  }

  /// Copies an entry of another buffer in the place of one of this.
  func replace(_ slot: Int, with index: Int, of other: KeyBuffer) {
    liveSize -= size(at: starts[slot])
    starts[slot] = copy(entryAt: other.starts[index], of: other)
  }

  private func copy(entryAt start: Int, of other: KeyBuffer) -> Int {
    let size = other.size(at: start)
    liveSize += size
    reserve(size)
    (memory + end).update(from: other.memory + start, count: size)
    defer { end += size }
    return end
  }

  /// The memory that the entries in use take.
  private(set) var liveSize = 0

  /// Puts the entries that are in use behind each other again.
  func compact() {
    let fresh = KeyBuffer(capacity: liveSize + liveSize / 2)
    for index in starts.indices { fresh.append(entry: index, of: self) }
    swap(&fresh.memory, &memory)
    swap(&fresh.capacity, &capacity)
    end = fresh.end
    starts = fresh.starts
  }

  // MARK: Reading

  /// How many bytes an entry takes.
  func size(at start: Int) -> Int { Self.headerSize + length(at: start) }

  @inline(__always)
  private func length(at start: Int) -> Int {
    Int(UnsafeRawPointer(memory + start).loadUnaligned(as: UInt32.self))
  }

  @inline(__always)
  private func sectionLength(at start: Int) -> Int {
    Int(UnsafeRawPointer(memory + start + 4).loadUnaligned(as: UInt32.self))
  }

  /// The bytes of an entry.
  func bytes(_ index: Int) -> UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(start: memory + starts[index] + Self.headerSize, count: length(at: starts[index]))
  }

  /// The bytes of an entry that say which section it is in.
  func sectionBytes(_ index: Int) -> UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(start: memory + starts[index] + Self.headerSize, count: sectionLength(at: starts[index]))
  }

  /// How an entry stands to one of another buffer, below, at or above zero, byte by byte.
  @inline(__always)
  static func compare(_ left: KeyBuffer, _ leftIndex: Int, _ right: KeyBuffer, _ rightIndex: Int) -> Int {
    compare(left.bytes(leftIndex), right.bytes(rightIndex))
  }

  @inline(__always)
  static func compare(_ left: UnsafeBufferPointer<UInt8>, _ right: UnsafeBufferPointer<UInt8>) -> Int {
    guard let first = left.baseAddress, let second = right.baseAddress else { return left.count - right.count }
    let order = memcmp(first, second, min(left.count, right.count))
    return order == 0 ? left.count - right.count : Int(order)
  }
}
