/// The frames in bytes that come in parts of any size: of server-sent events, or of lines that are a frame each.
struct FeedLines: Sendable {
  enum Line: Sendable {
    /// The JSON of a frame.
    case frame(ArraySlice<UInt8>)
    /// The service has said that it ends the stream.
    case end
  }

  private let limit: Int
  private var rest: [UInt8] = []
  /// Whether the data of the current event is not a frame.
  private var isOther = false

  init(limit: Int) { self.limit = limit }

  /// The lines that the next bytes complete.
  mutating func take(_ bytes: [UInt8]) throws -> [Line] {
    var searched = rest.count
    rest += bytes
    var start = 0
    var lines: [Line] = []
    while let end = rest[searched...].firstIndex(of: UInt8(ascii: "\n")) {
      if end - start > limit { throw FeedError("a frame has more than \(limit) bytes") }
      if let line = try line(rest[start..<end]) { lines.append(line) }
      (start, searched) = (end + 1, end + 1)
    }
    if start > 0 { rest.removeFirst(start) }
    if rest.count > limit { throw FeedError("a frame has more than \(limit) bytes") }
    return lines
  }

  private mutating func line(_ text: ArraySlice<UInt8>) throws -> Line? {
    let text = text.last == UInt8(ascii: "\r") ? text.dropLast() : text
    switch text.first {
    case nil:
      isOther = false
      return nil
    case UInt8(ascii: ":"): return nil
    case UInt8(ascii: "{"): return .frame(text)
    default: break
    }
    let name = text.prefix { $0 != UInt8(ascii: ":") }
    var value = text[name.endIndex...].dropFirst()
    if value.first == UInt8(ascii: " ") { value = value.dropFirst() }
    switch String(decoding: name, as: UTF8.self) {
    case "id", "retry": return nil
    case "event":
      if value.elementsEqual("end".utf8) { return .end }
      isOther = !value.elementsEqual("message".utf8)
      return nil
    case "data": return isOther ? nil : .frame(value)
    default: throw FeedError("the answer is no feed")
    }
  }
}
