import FetchedResultsSupport

#if Net
  import CFetchedResultsHTTP

  /// A connection of libmicrohttpd, and the request that it brings.
  struct Connection {
    let pointer: OpaquePointer

    func header(_ name: String) -> String? {
      MHD_lookup_connection_value(pointer, .HEADER_KIND, name).map { String(cString: $0) }
    }

    func query(_ name: String) -> String? {
      MHD_lookup_connection_value(pointer, .GET_ARGUMENT_KIND, name).map { String(cString: $0) }
    }

    /// The headers, or the values of the query, as they came.
    func values(_ kind: MHD_ValueKind) -> [(String, String)] {
      var found: [(String, String)] = []
      withUnsafeMutablePointer(to: &found) { found in
        _ = MHD_get_connection_values(
          pointer, kind,
          { found, _, name, value in
            guard let found, let name else { return .YES }
            found.assumingMemoryBound(to: [(String, String)].self).pointee
              .append((String(cString: name), value.map { String(cString: $0) } ?? ""))
            return .YES
          }, found)
      }
      return found
    }

    /// The header that decides where a request ends or whom it is for, and is there twice: two programs could
    /// understand such a request differently.
    var doubleHeader: String? {
      var seen: Set<String> = []
      return values(.HEADER_KIND).lazy.map { $0.0.lowercased() }.first {
        ["host", "content-length", "transfer-encoding"].contains($0) && !seen.insert($0).inserted
      }
    }

    /// The client: by its connection, or if that comes from a proxy on this machine, as the proxy says.
    func client(behindProxy: Bool) -> ClientAddress? {
      let direct = ClientAddress(frc_http_address(pointer))
      guard behindProxy, direct?.isLoopback == true,
        // A client may send lines of its own: that of the proxy is the last one.
        let line = values(.HEADER_KIND).last(where: { $0.0.lowercased() == "x-forwarded-for" })?.1,
        let last = line.split(separator: ",").last?.drop(while: { $0 == " " })
      else { return direct }
      return ClientAddress(String(last)) ?? direct
    }
  }
#endif

/// The address of a client, as far as limits care: a machine by IPv4, a network of 64 bits by IPv6, in which one client
/// may have any number of addresses.
struct ClientAddress: Hashable, Sendable {
  private let key: UInt64

  private init(v4 bytes: some Collection<UInt8>) { key = Self.number(bytes) }

  private init(v6 bytes: [UInt8]) {
    let isMapped = bytes.starts(with: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF])
    let isLoopback = bytes.dropLast().allSatisfy { $0 == 0 } && bytes.last == 1
    key = Self.number(isMapped ? bytes.suffix(4) : isLoopback ? [127, 0, 0, 1] : bytes.prefix(8))
  }

  private static func number(_ bytes: some Collection<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }

  init?(_ text: String) {
    var bytes = [UInt8](repeating: 0, count: 16)
    if inet_pton(AF_INET, text, &bytes) == 1 {
      self.init(v4: bytes.prefix(4))
    } else if inet_pton(AF_INET6, text, &bytes) == 1 {
      self.init(v6: bytes)
    } else {
      return nil
    }
  }

  init?(_ address: UnsafePointer<sockaddr>?) {
    guard let address else { return nil }
    let raw = UnsafeRawPointer(address)
    switch Int32(address.pointee.sa_family) {
    case AF_INET:
      var number = raw.loadUnaligned(as: sockaddr_in.self).sin_addr
      self.init(v4: withUnsafeBytes(of: &number) { Array($0) })
    case AF_INET6:
      var number = raw.loadUnaligned(as: sockaddr_in6.self).sin6_addr
      self.init(v6: withUnsafeBytes(of: &number) { Array($0) })
    default: return nil
    }
  }

  var isLoopback: Bool { key >> 24 == 127 }
}
