#if Net
  import CFetchedResultsCurl
  import FetchedResultsSupport
  import LiveFeeds

  /// One request and its answer, which a task reads while the thread of curl writes.
  final class CurlTransfer: Sendable {
    private struct State: Sendable {
      /// Of the answer whose head is coming: there may be several, as after a redirection.
      var status = 0
      var retryAfter: String?
      var type = ""
      var isRedirected = false
      /// The task that waits for the head, or for more of the body.
      var opening: CheckedContinuation<Void, any Error>?
      var reading: CheckedContinuation<[UInt8]?, any Error>?
      /// What has come and was not read. Nothing more comes while it is much.
      var bytes: [UInt8] = []
      var isOpen = false
      var isPaused = false
      var end: Result<Void, any Error>?
      var code: Int32?
    }

    /// How many bytes may wait for the reader.
    private static let room = 256 << 10

    private let address: String
    private let lines: [String]
    /// What to post: then the answer is read whatever its status is.
    private let body: [UInt8]?
    private let patience: Duration
    /// How long the whole transfer may take; nil for any time.
    private let limit: Duration?
    private let certificates: String?
    private let proxy: String?
    private let state = Locked(State())

    init(
      _ address: String, _ lines: [String], posting body: [UInt8]?, patience: Duration, limit: Duration?,
      certificates: String?, proxy: String?
    ) {
      (self.address, self.lines, self.body, self.patience) = (address, lines, body, patience)
      self.limit = limit
      (self.certificates, self.proxy) = (certificates, proxy)
    }

    // MARK: The reader's task

    /// The status of the answer, and when it asks to try again.
    var head: (status: Int, retryAfter: String?) { state.withLock { ($0.status, $0.retryAfter) } }

    /// The type of the body, without parameters.
    var type: String { state.withLock { $0.type } }

    /// How curl has ended the transfer; nil if it didn't.
    var code: Int32? { state.withLock { $0.code } }

    /// Sends the request, and returns when the head of an answer is there that is no error.
    func open() async throws {
      try await withTaskCancellationHandler {
        try await withCheckedThrowingContinuation { continuation in
          let end = state.withLock { state -> Result<Void, any Error>? in
            if state.end == nil { state.opening = continuation }
            return state.end
          }
          if let end { continuation.resume(with: end) } else { CurlThread.shared.perform(.add(self)) }
        }
      } onCancel: {
        cancel()
      }
    }

    /// The next bytes; nil at the end.
    func read() async throws -> [UInt8]? {
      try await withTaskCancellationHandler {
        try await withCheckedThrowingContinuation { continuation in
          let (result, resumes) = state.withLock { state -> (Result<[UInt8]?, any Error>?, Bool) in
            if !state.bytes.isEmpty {
              defer { (state.bytes, state.isPaused) = ([], false) }
              return (.success(state.bytes), state.isPaused)
            }
            if let end = state.end { return (end.map { nil }, false) }
            state.reading = continuation
            return (nil, false)
          }
          if let result { continuation.resume(with: result) }
          if resumes { CurlThread.shared.perform(.resume(self)) }
        }
      } onCancel: {
        cancel()
      }
    }

    /// Ends the transfer at once.
    func cancel() {
      finish(.failure(CancellationError()))
      CurlThread.shared.perform(.remove(self))
    }

    private func finish(_ result: Result<Void, any Error>) {
      let (opening, reading) = state.withLock { state in
        if state.end == nil { state.end = result }
        return (state.opening.take(), state.reading.take())
      }
      opening?.resume(with: result)
      reading?.resume(with: result.map { nil })
    }

    // MARK: The thread of curl

    /// Makes the request for curl; nil if that is impossible, which ends the transfer. It holds this object.
    func makeRequest() -> UnsafeMutableRawPointer? {
      if state.withLock({ $0.end != nil }) { return nil }
      var list: UnsafeMutablePointer<curl_slist>?
      for line in lines { list = curl_slist_append(list, line) }
      let context = Unmanaged.passRetained(self).toOpaque()
      let request = frc_curl_get(
        address, list, Self.milliseconds(patience), { CurlTransfer.at($3)?.take(body: $0, $1 * $2) ?? 0 },
        { CurlTransfer.at($3)?.take(head: $0, $1 * $2) ?? 0 }, context)
      let isPosting = request.map { request in
        body.map { $0.withUnsafeBytes { frc_curl_post(request, $0.baseAddress, $0.count) } } != 0
      }
      guard let request, isPosting != false else {
        curl_easy_cleanup(request)
        curl_slist_free_all(list)
        Unmanaged<CurlTransfer>.fromOpaque(context).release()
        finish(.failure(FeedError("no memory for a request")))
        return nil
      }
      if let limit { frc_curl_limit(request, Self.milliseconds(limit)) }
      if let certificates { frc_curl_trust(request, certificates) }
      if let proxy { frc_curl_proxy(request, proxy) }
      headers.withLock { $0 = UInt(bitPattern: list) }
      return request
    }

    private static func milliseconds(_ time: Duration) -> Int {
      let (seconds, attoseconds) = time.components
      return max(1, Int(seconds) * 1000 + Int(attoseconds / 1_000_000_000_000_000))
    }

    /// The list of headers, which curl does not own.
    private let headers = Locked<UInt>(0)

    /// Releases what ``makeRequest()`` has made.
    func release(_ request: UnsafeMutableRawPointer) {
      curl_easy_cleanup(request)
      curl_slist_free_all(UnsafeMutablePointer(bitPattern: headers.withLock { $0 }))
      Unmanaged.passUnretained(self).release()
    }

    private static func at(_ context: UnsafeMutableRawPointer?) -> CurlTransfer? {
      context.map { Unmanaged<CurlTransfer>.fromOpaque($0).takeUnretainedValue() }
    }

    /// A line of a head. Returns the number of its bytes, or another one to end the transfer.
    private func take(head line: UnsafeMutablePointer<CChar>?, _ count: Int) -> Int {
      let text = String(decoding: UnsafeRawBufferPointer(start: line, count: count), as: UTF8.self)
      let parts = text.split(separator: ":", maxSplits: 1)
      let (opening, error) = state.withLock { state -> (CheckedContinuation<Void, any Error>?, FeedError?) in
        if text.hasPrefix("HTTP/") {
          state.status = text.split(separator: " ").dropFirst().first.flatMap { Int($0.prefix(3)) } ?? 0
          (state.retryAfter, state.type, state.isRedirected) = (nil, "", false)
        } else if parts.count == 2 {
          switch parts[0].lowercased() {
          case "retry-after": state.retryAfter = String(parts[1])
          case "content-type":
            state.type = parts[1].split(whereSeparator: { ";\r\n ".contains($0) }).first.map { $0.lowercased() } ?? ""
          case "location": state.isRedirected = (300..<400).contains(state.status)
          default: break
          }
        } else if text.allSatisfy(\.isNewline), state.status >= 200, !state.isRedirected {
          let error = body == nil ? FeedError(status: state.status, retryAfter: state.retryAfter) : nil
          if error == nil { state.isOpen = true }
          return (error == nil ? state.opening.take() : nil, error)
        }
        return (nil, nil)
      }
      opening?.resume()
      guard let error else { return count }
      finish(.failure(error))
      return 0
    }

    private func take(body: UnsafeMutablePointer<CChar>?, _ count: Int) -> Int {
      let bytes = UnsafeRawBufferPointer(start: body, count: count)
      var reading: CheckedContinuation<[UInt8]?, any Error>?
      let taken = state.withLock { state -> Int in
        if state.end != nil { return 0 }
        if !state.isOpen { return count }  // that of a redirection
        if state.bytes.count >= Self.room {
          state.isPaused = true
          return Int(CURL_WRITEFUNC_PAUSE)
        }
        reading = state.reading.take()
        if reading == nil { state.bytes += bytes }
        return count
      }
      reading?.resume(returning: Array(bytes))
      return taken
    }

    /// The transfer has ended by itself.
    func ended(_ code: Int32) {
      if code == CURLE_OK.rawValue { return finish(.success(())) }
      state.withLock { $0.code = code }
      let reason = curl_easy_strerror(CURLcode(rawValue: UInt32(code))).map { String(cString: $0) }
      finish(.failure(FeedError(reason ?? "error \(code) of curl", isFinal: Self.finalCodes.contains(code))))
    }

    /// The address is invalid, or of another protocol.
    static let addressCodes = [CURLE_URL_MALFORMAT, CURLE_UNSUPPORTED_PROTOCOL].map { Int32($0.rawValue) }
    /// The certificate is not trusted, or there is no file of those to trust.
    static let certificateCodes = [CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CACERT_BADFILE].map { Int32($0.rawValue) }
    private static let finalCodes = addressCodes + certificateCodes
  }
#endif
