import LiveFeeds

/// Frames on their way to one reader, as the bytes of one form. The bytes are those of the frames.
struct FrameBytes {
  private let asEvents: Bool
  private var bytes: ArraySlice<UInt8>
  private var frames: ArraySlice<FeedFrame>

  /// - Parameter first: Bytes to send before the frames.
  init(_ frames: [FeedFrame] = [], asEvents: Bool, first: [UInt8] = []) {
    (self.asEvents, self.frames, bytes) = (asEvents, frames[...], first[...])
  }

  var isEmpty: Bool { bytes.isEmpty && frames.isEmpty }

  /// How many bytes there are.
  var count: Int { frames.reduce(bytes.count) { $0 + (asEvents ? $1.event.count : $1.line.count) } }

  /// Puts frames, and then bytes, behind the others.
  mutating func append(_ more: [FeedFrame]) { frames = frames.isEmpty ? more[...] : frames + more }
  /// Leaves out the frames that have not begun, and puts bytes behind the rest.
  mutating func end(with last: [UInt8]) { (frames, bytes) = ([], bytes + last) }

  /// Copies as many bytes as there is room for. Returns how many.
  mutating func copy(to room: UnsafeMutableRawBufferPointer) -> Int {
    var count = 0
    while count < room.count {
      if bytes.isEmpty {
        guard let next = frames.popFirst() else { break }
        bytes = asEvents ? next.event[...] : next.line
      }
      let part = bytes.prefix(room.count - count)
      part.withUnsafeBytes { UnsafeMutableRawBufferPointer(rebasing: room[count...]).copyMemory(from: $0) }
      count += part.count
      bytes = bytes.dropFirst(part.count)
    }
    if bytes.isEmpty, frames.isEmpty { (bytes, frames) = ([], []) }  // which releases the memory
    return count
  }
}
