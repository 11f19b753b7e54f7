public import LiveFeeds

#if Net
  import CFetchedResultsCurl
#endif

/// A transport over HTTP by libcurl: with TLS, HTTP/2 and the proxies of the environment.
///
/// ```swift
/// let transport = CurlTransport("https://example.com/errands") { ["Authorization": "Bearer 81b7"] }
/// let errands = RemoteDataSource<Errand>(transport)
/// ```
///
/// One thread of the program serves all connections. It needs the package's trait `Net`, and libcurl 7.68 or later with
/// its headers. Without the trait it fails with an error that says so.
public struct CurlTransport: FeedTransport {
  /// Makes the headers of a request. It is called for each one, because a token may expire. An error that it throws is
  /// the reason why there is no connection: a `FeedError` says whether to try again.
  public typealias Headers = @Sendable () async throws -> [String: String]

  /// An answer to a request.
  package struct Answer: Sendable {
    package var status: Int
    /// The type of the body, without parameters.
    package var type: String
    package var body: [UInt8]
  }

  /// Why curl has no answer to a request.
  package struct Failure: Error {
    package enum Cause: Sendable {
      case address, certificate, time, connection
    }

    package var cause: Cause
    package var reason: String
  }

  /// How long a connection may take to be made.
  public var patience = Duration.seconds(10)
  /// The certificates to trust, as a file in PEM form; nil for those of the system.
  public var certificates: String?
  /// The proxy, such as `socks5://localhost:1080`; nil for the one that variables such as `https_proxy` name.
  public var proxy: String?
  private let address: String
  private let headers: Headers

  /// Creates a transport to a feed.
  ///
  /// - Parameters:
  ///   - address: The feed's address. It may have a query, such as that of a window.
  ///   - headers: The headers of each request.
  public init(_ address: String, headers: @escaping Headers = { [:] }) {
    (self.address, self.headers) = (address, headers)
  }

  #if Net
    /// Opens the feed.
    public func open(_ request: FeedRequest) async throws -> any AsyncSequence<[UInt8], any Error> & Sendable {
      let transfer = try await transfer(request.address(address), ["Accept: \(request.accept)"])
      try await transfer.open()
      let reader = CurlReader(transfer)
      return AsyncThrowingStream { try await reader.transfer.read() }
    }

    /// Sends an edit as a POST.
    public func send(_ edit: [UInt8]) async throws -> [UInt8] {
      let transfer = try await transfer(address, ["Content-Type: application/json"], posting: edit)
      try await transfer.open()
      let answer = try await transfer.readAll(limit: 1 << 20)
      let (status, retryAfter) = transfer.head
      let line = answer.prefix { $0 != UInt8(ascii: "\n") }
      let text = String(decoding: line.prefix(1000), as: UTF8.self)
      if status == 409 { throw EditConflict(text) }
      guard var error = FeedError(status: status, retryAfter: retryAfter) else { return answer }
      error.reason += text.isEmpty ? "" : ": \(text)"
      throw error
    }

    /// Posts bytes of a type, and returns the answer whatever its status is.
    ///
    /// - Parameters:
    ///   - limit: How many bytes the answer may have.
    ///   - time: How long all of it may take.
    /// - Throws: A ``Failure`` if curl has no answer.
    package func post(_ body: [UInt8], type: String, limit: Int, within time: Duration) async throws -> Answer {
      let transfer = try await transfer(
        address, ["Content-Type: \(type)", "Expect:"], posting: body, within: time)
      do {
        try await transfer.open()
        let answer = try await transfer.readAll(limit: limit)
        return Answer(status: transfer.head.status, type: transfer.type, body: answer)
      } catch let error as FeedError {
        guard let code = transfer.code else { throw error }
        let cause: Failure.Cause =
          CurlTransfer.addressCodes.contains(code)
          ? .address
          : CurlTransfer.certificateCodes.contains(code)
            ? .certificate : code == CURLE_OPERATION_TIMEDOUT.rawValue ? .time : .connection
        throw Failure(cause: cause, reason: error.reason)
      }
    }

    private func transfer(
      _ address: String, _ lines: [String], posting body: [UInt8]? = nil, within limit: Duration? = nil
    ) async throws -> CurlTransfer {
      var lines = lines
      for (name, value) in try await headers() {
        // A line break would begin another header.
        if "\(name)\(value)".utf8.contains(where: { $0 < 32 }) {
          throw FeedError("the header \(name) has a control character", isFinal: true)
        }
        lines.append(value.isEmpty ? "\(name);" : "\(name): \(value)")
      }
      return CurlTransfer(
        address, lines, posting: body, patience: patience, limit: limit, certificates: certificates, proxy: proxy)
    }
  #else
    private static let noHTTP = FeedError(
      "this program was built without HTTP; install libcurl's headers and build with `--traits Net`", isFinal: true)

    /// Throws an error, because this build leaves out libcurl.
    package func post(_ body: [UInt8], type: String, limit: Int, within time: Duration) async throws -> Answer {
      throw Self.noHTTP
    }

    /// Throws an error, because this build leaves out libcurl.
    public func open(_ request: FeedRequest) async throws -> any AsyncSequence<[UInt8], any Error> & Sendable {
      throw Self.noHTTP
    }
  #endif
}

#if Net
  extension CurlTransfer {
    /// The rest of the body. A longer one is an error, and ends the transfer.
    fileprivate func readAll(limit: Int) async throws -> [UInt8] {
      var bytes: [UInt8] = []
      while let part = try await read() {
        bytes += part
        if bytes.count > limit {
          cancel()
          throw FeedError("its answer has more than \(limit) bytes", isFinal: true)
        }
      }
      return bytes
    }
  }

  /// What the sequence of an answer holds: the transfer ends with it.
  private final class CurlReader: Sendable {
    let transfer: CurlTransfer

    init(_ transfer: CurlTransfer) { self.transfer = transfer }

    deinit { transfer.cancel() }
  }
#endif
