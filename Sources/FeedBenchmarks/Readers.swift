import FetchedResults
import FetchedResultsSupport
import Foundation

// The other process: readers of a feed over loopback.

/// Connections that read events.
struct Readers {
  private var sockets: [pollfd] = []
  /// How many events each has got.
  private var events: [Int] = []
  private var endsWithBreak: [Bool] = []
  private(set) var bytes = 0
  private var room = [UInt8](repeating: 0, count: 256 << 10)

  init(port: UInt16, _ count: Int, stalled: Bool = false) throws {
    for number in 0..<count {
      let isStalled = stalled && number.isMultiple(of: 2)
      let socket = try connection(to: port, receiving: isStalled ? 4096 : nil)
      let request = Array("GET /list HTTP/1.1\r\nHost: x\r\nAccept: text/event-stream\r\n\r\n".utf8)
      _ = request.withUnsafeBytes { CLibrary.write(socket, $0) }
      if isStalled { continue }
      sockets.append(pollfd(fd: socket, events: Int16(POLLIN), revents: 0))
      events.append(0)
      endsWithBreak.append(false)
      // What a reader gets at once must not fill the queues of others.
      if number % 50 == 49 { try drain(for: 0) }
    }
  }

  /// Reads until nothing has come for so many milliseconds. Returns when the last bytes came.
  @discardableResult mutating func drain(for quiet: Int32) throws -> UInt64 {
    var last = MonotonicClock.now()
    while poll(&sockets, nfds_t(sockets.count), quiet) > 0 {
      for place in sockets.indices where sockets[place].revents != 0 { try read(place) }
      last = MonotonicClock.now()
    }
    return last
  }

  mutating func resetEvents() { for place in events.indices { events[place] = 0 } }

  /// Reads until each has got so many events.
  mutating func wait(forEvents count: Int) throws {
    var waiting = sockets.indices.filter { events[$0] < count }
    while !waiting.isEmpty {
      var polled = waiting.map { sockets[$0] }
      guard poll(&polled, nfds_t(polled.count), 10_000) > 0 else {
        throw Failure("\(waiting.count) readers got nothing")
      }
      for (place, socket) in zip(waiting, polled) where socket.revents != 0 { try read(place) }
      waiting.removeAll { events[$0] >= count }
    }
  }

  private mutating func read(_ place: Int) throws {
    let count = room.withUnsafeMutableBytes { CLibrary.read(sockets[place].fd, $0) }
    guard count > 0 else { throw Failure("a reader was cut") }
    bytes += count
    // An event ends with an empty line; the lines of chunks end with \r\n.
    var wasBreak = endsWithBreak[place]
    for byte in room[..<count] {
      if byte == UInt8(ascii: "\n"), wasBreak { events[place] += 1 }
      wasBreak = byte == UInt8(ascii: "\n")
    }
    endsWithBreak[place] = wasBreak
  }
}

/// Commits, and measures how long each takes to get to all readers. Prints the median and the 99th percentile, in ms.
func measureLatency(_ path: String, port: UInt16, readers count: Int) throws {
  var readers = try Readers(port: port, count)
  try readers.drain(for: 500)
  readers.resetEvents()
  let database = try Database(path: path, options: Service.options)
  var times: [Double] = []
  for number in 1...(count > 100 ? 200 : 500) {
    try database.write { c in try c.execute("UPDATE item SET title = \("title \(number)") WHERE id = \(number)") }
    let start = MonotonicClock.now()
    try readers.wait(forEvents: number)
    times.append(Double(MonotonicClock.now() - start) / 1e6)
    MonotonicClock.sleep(microseconds: 10_000)
  }
  times.sort()
  print(times[times.count / 2], times[times.count * 99 / 100])
}

/// Connects readers, of which the first, the third and so on never read, and says so. Then reads until it is killed.
func stayConnected(port: UInt16, _ count: Int, _ stalled: Bool) throws {
  var readers = try Readers(port: port, count, stalled: stalled)
  try readers.drain(for: 500)
  FileHandle.standardOutput.write(Data("ready\n".utf8))
  while true { try readers.drain(for: 1000) }
}

/// Prints how long the snapshot takes to come, in ms, and how many bytes it has.
func readSnapshot(port: UInt16) throws {
  let start = MonotonicClock.now()
  var reader = try Readers(port: port, 1)
  let end = try reader.drain(for: 1000)
  print(Double(end - start) / 1e6, reader.bytes)
}

/// A connection to a port of this machine, with a buffer of a size for what it receives.
func connection(to port: UInt16, receiving: Int32? = nil) throws -> Int32 {
  let socket = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
  if var receiving { setsockopt(socket, SOL_SOCKET, SO_RCVBUF, &receiving, 4) }
  var address = sockaddr_in()
  (address.sin_family, address.sin_port) = (sa_family_t(AF_INET), port.bigEndian)
  address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
  let code = withUnsafePointer(to: &address) {
    $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(socket, $0, 16) }
  }
  guard socket >= 0, code == 0 else { throw Failure("a client can't connect: error \(errno)") }
  return socket
}
