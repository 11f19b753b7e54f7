import FetchedResultsSupport

/// A socket that listens at an address and a port.
enum ListeningSocket {
  static func open(_ address: String, _ port: UInt16) throws -> Int32 {
    var hints = addrinfo()
    hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV | AI_PASSIVE
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var found: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo(address, String(port), &hints, &found) == 0, let info = found?.pointee else {
      throw FeedServerError.address(address)
    }
    defer { freeaddrinfo(found) }
    let descriptor = socket(info.ai_family, info.ai_socktype | Int32(SOCK_CLOEXEC.rawValue), info.ai_protocol)
    guard descriptor >= 0 else { throw problem("can't listen at \(address)") }
    var one: Int32 = 1
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &one, socklen_t(MemoryLayout<Int32>.size))
    guard bind(descriptor, info.ai_addr, info.ai_addrlen) == 0, listen(descriptor, 1024) == 0 else {
      let problem = problem("can't listen at \(address), port \(port)")
      close(descriptor)
      throw problem
    }
    return descriptor
  }

  /// The port that a socket has got.
  static func port(of descriptor: Int32) -> UInt16 {
    var address = sockaddr_in6()  // as large as either kind, with the port at the same place in both
    var size = socklen_t(MemoryLayout<sockaddr_in6>.size)
    return withUnsafeMutablePointer(to: &address) { pointer in
      _ = pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &size) }
      return UInt16(bigEndian: pointer.pointee.sin6_port)
    }
  }

  private static func problem(_ what: String) -> FeedServerError {
    .system("\(what): \(String(cString: strerror(errno)).lowercased())")
  }
}
