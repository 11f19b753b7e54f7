extension KeyBuffer {
  /// The first broken invariant of the buffer; nil if not found. For tests: it visits every entry. Every entry that was
  /// begun must have ended.
  func firstBrokenInvariant() -> String? {
    let state = state.pointee
    if state.end < 0 || state.end > state.capacity { return "\(state.end) bytes of \(state.capacity) are used" }
    if state.count < 0 || state.count > state.startsCapacity {
      return "\(state.count) entries begin in \(state.startsCapacity) places"
    }
    var ranges: [Range<Int>] = []
    for index in 0..<state.count {
      let start = state.starts[index]
      guard start >= 0, start + Self.headerSize <= state.end else { return "entry \(index) begins at \(start)" }
      let (length, sectionLength) = (bytes(index).count, sectionBytes(index).count)
      if start + Self.headerSize + length > state.end {
        return "entry \(index) of \(length) bytes at \(start) does not end before \(state.end)"
      }
      if sectionLength > length { return "entry \(index) of \(length) bytes has \(sectionLength) for its section" }
      ranges.append(start..<start + size(index))
    }
    let live = ranges.reduce(0) { $0 + $1.count }
    if live != liveSize { return "the entries take \(live) bytes, and not \(liveSize)" }
    ranges.sort { $0.lowerBound < $1.lowerBound }
    for (left, right) in zip(ranges, ranges.dropFirst()) where left.upperBound > right.lowerBound {
      return "the entries at \(left) and \(right) overlap"
    }
    return nil
  }
}
