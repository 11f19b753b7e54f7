import FetchedResultsSupport

/// TCP on this machine, with the C library alone.
package final class Socket: Sendable {
  private let descriptor: Int32

  package init(_ descriptor: Int32) { self.descriptor = descriptor }

  deinit { close(descriptor) }

  private static let stream: Int32 = {
    #if canImport(Darwin)
      SOCK_STREAM
    #else
      Int32(SOCK_STREAM.rawValue)
    #endif
  }()

  /// A socket that waits for connections on a free port, or on a given one.
  package static func listening(on port: UInt16 = 0) -> (socket: Socket, port: UInt16)? {
    let socket = Socket(FetchedResultsSupport.socket(AF_INET, stream, 0))
    var yes: Int32 = 1
    setsockopt(socket.descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
    var (address, size) = (Self.address(port), socklen_t(MemoryLayout<sockaddr_in>.size))
    let isBound = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
        bind(socket.descriptor, pointer, size) == 0 && listen(socket.descriptor, 64) == 0
          && getsockname(socket.descriptor, pointer, &size) == 0
      }
    }
    return isBound ? (socket, UInt16(bigEndian: address.sin_port)) : nil
  }

  package static func connected(to port: UInt16) -> Socket? {
    let socket = Socket(FetchedResultsSupport.socket(AF_INET, stream, 0))
    var address = Self.address(port)
    let isConnected = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
        connect(socket.descriptor, pointer, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
    return isConnected ? socket : nil
  }

  private static func address(_ port: UInt16) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    return address
  }

  package func accepted() -> Socket? {
    let descriptor = accept(descriptor, nil, nil)
    return descriptor < 0 ? nil : Socket(descriptor)
  }

  /// The next bytes; nil at the end.
  package func read() -> [UInt8]? {
    var buffer = [UInt8](repeating: 0, count: 16 << 10)
    let count = buffer.withUnsafeMutableBytes { recv(descriptor, $0.baseAddress, $0.count, 0) }
    return count > 0 ? Array(buffer[..<count]) : nil
  }

  /// Whether there is something to read, within a number of milliseconds.
  package func isReadable(within milliseconds: Int32) -> Bool {
    var wanted = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&wanted, 1, milliseconds) > 0
  }

  /// Reads up to the end of an HTTP head. Returns the head and what follows it.
  package func readHead() -> (head: String, rest: [UInt8])? {
    var bytes: [UInt8] = []
    while let more = read() {
      bytes += more
      if let end = bytes.indices.first(where: { bytes[$0...].starts(with: "\r\n\r\n".utf8) }) {
        return (String(decoding: bytes[..<end], as: UTF8.self), Array(bytes[(end + 4)...]))
      }
    }
    return nil
  }

  package func write(_ bytes: some Collection<UInt8>) -> Bool {
    var rest = Array(bytes)[...]
    while !rest.isEmpty {
      #if os(Linux)
        let flags = Int32(MSG_NOSIGNAL)
      #else
        let flags: Int32 = 0
      #endif
      let count = rest.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, flags) }
      if count <= 0 { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }

  /// Ends both directions; a thread that waits for the socket continues.
  package func shutDown() { _ = shutdown(descriptor, Int32(SHUT_RDWR)) }
}

/// Accepts connections and handles each on a thread of its own.
package final class Listener: Sendable {
  package let port: UInt16
  private let socket: Socket
  private let open = Locked<(sockets: [Socket], hasStopped: Bool)>(([], false))

  package init(on port: UInt16 = 0, _ handle: @escaping @Sendable (Socket) -> Void) {
    guard let (socket, port) = Socket.listening(on: port) else { fatalError("no free port") }
    (self.socket, self.port) = (socket, port)
    let open = open
    _ = BackgroundThread.start {
      while let connection = socket.accepted() {
        if open.withLock({ $0.hasStopped }) { return }
        open.withLock { $0.sockets.append(connection) }
        _ = BackgroundThread.start {
          handle(connection)
          connection.shutDown()
          open.withLock { open in open.sockets.removeAll { $0 === connection } }
        }
      }
    }
  }

  package var numberOfConnections: Int { open.withLock { $0.sockets.count } }

  /// Cuts all connections.
  package func cut() { for socket in open.withLock({ $0.sockets }) { socket.shutDown() } }

  package func stop() {
    open.withLock { $0.hasStopped = true }
    socket.shutDown()
    cut()
  }

  deinit { stop() }
}
