import FeedServer
import FetchedResultsSupport

/// Who may do what: the token, the cookie that replaces it in browsers, and the site that a request comes from.
struct Access: Sendable {
  /// The headers of every answer. Nothing of an item's text can run as a script or load something from elsewhere, and
  /// no address leaves the page.
  static let headers = [
    "Content-Security-Policy": """
    default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; \
    manifest-src 'self'; worker-src 'self'; form-action 'self'; \
    base-uri 'none'; frame-ancestors 'none'
    """,
    "X-Content-Type-Options": "nosniff",
    // Without an origin, the form with the token would look like one of another site.
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
  ]

  let token: String
  private let options: ServeOptions
  private let port: UInt16
  /// A one-time code that is accepted instead of the token.
  private let code = Locked<String?>(nil)

  init(_ options: ServeOptions, port: UInt16) {
    token = options.token ?? Self.secret()
    (self.options, self.port) = (options, port)
  }

  /// From the system's generator, which is fit for secrets.
  private static func secret() -> String {
    (0..<3).map { _ in String(UInt64.random(in: 1 << 60 ... .max), radix: 16) }.joined()
  }

  /// The address of the page.
  var url: String {
    let scheme = options.encryption == nil ? "http" : "https"
    return (options.url ?? "\(scheme)://\(options.host):\(port)") + "/"
  }

  /// Makes a code that can be used once instead of the token: other users of this machine see the words that a browser
  /// is started with.
  func makeCode() -> String {
    let made = Self.secret()
    code.withLock { $0 = made }
    return made
  }

  /// The cookie that lets a browser in, for a year if the token is the user's. Cookies don't know ports, so its name
  /// has the port.
  var cookie: String {
    "\(cookieName)=\(token); Path=/; HttpOnly; SameSite=Strict" + (options.isEncrypted ? "; Secure" : "")
      + (options.token == nil ? "" : "; Max-Age=31536000")
  }
  /// Makes a browser forget the cookie.
  var expiredCookie: String { "\(cookieName)=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0" }
  private var cookieName: String { "todo-\(port)" }

  /// Returns nil if a request may be answered, or else the refusal.
  ///
  /// - Parameter needsToken: Whether it must have the token, in its cookie or as `Authorization: Bearer TOKEN`.
  func refusal(of request: HTTPRequest, needsToken: Bool = true) -> HTTPResponse? {
    let host = request.headers["host"] ?? ""
    // The name of another site that is resolved to this machine would give that site's pages all rights of this one.
    guard isOurs(host) else { return .problem(421, "this service is not \"\(host)\"; use the address that it printed") }
    if request.isFromAnotherSite { return Self.otherSite }
    let site = request.headers["sec-fetch-site"] ?? "none"
    if needsToken, site != "same-origin", site != "none" { return Self.otherSite }
    guard needsToken, !hasToken(request) else { return nil }
    var refusal = HTTPResponse.problem(
      401, "open the address that `todo serve` printed, or send the header Authorization: Bearer TOKEN")
    refusal.countsAsGuess = secret(of: request) != nil
    return refusal
  }

  private static let otherSite = HTTPResponse.problem(403, "this comes from another site")

  /// Whether a request has the token, in its header or its cookie.
  func hasToken(_ request: HTTPRequest) -> Bool { isToken(secret(of: request)) }

  /// The text that a request sends as the token, right or wrong, in its header or its cookie; nil if it sends none.
  func secret(of request: HTTPRequest) -> String? {
    let bearer = request.headers["authorization"].flatMap { $0.hasPrefix("Bearer ") ? String($0.dropFirst(7)) : nil }
    return bearer ?? request.cookie(cookieName)
  }

  /// Whether a text is the token, or the code, which then ends.
  func isToken(_ text: String?) -> Bool {
    guard let text else { return false }
    if Self.isSame(text, token) { return true }
    return code.withLock { code in
      guard let right = code, Self.isSame(text, right) else { return false }
      code = nil
      return true
    }
  }

  /// The time it takes doesn't depend on where they differ.
  private static func isSame(_ text: String, _ secret: String) -> Bool {
    let (given, right) = (Array(text.utf8), Array(secret.utf8))
    var difference = given.count == right.count ? 0 : 1 as UInt8
    for index in right.indices { difference |= right[index] ^ (index < given.count ? given[index] : 0) }
    return difference == 0
  }

  /// Whether `Host` names this service: the address of `--url`, the address it listens on, or, if it listens on all
  /// addresses, any numeric one. A numeric host can't be rebound by another site's DNS.
  private func isOurs(_ host: String) -> Bool {
    if let url = options.url, url.hasSuffix("://" + host.lowercased()) { return true }
    let suffix = ":\(port)"
    let name =
      host.hasSuffix(suffix)
      ? String(host.dropLast(suffix.count)) : port == (options.encryption == nil ? 80 : 443) ? host : ""
    let number = name.filter { !"[]".contains($0) }
    let address = options.address
    if options.isLoopback {
      return [address, "127.0.0.1", "::1", "localhost"].contains(number)
    }
    if address != "0.0.0.0", address != "::" { return number == address }
    var bytes = in6_addr()  // has room for both kinds
    return number == "localhost" || inet_pton(AF_INET, number, &bytes) == 1 || inet_pton(AF_INET6, number, &bytes) == 1
  }
}

extension HTTPResponse {
  /// An error as RFC 9457 describes it: with its status and one sentence, and other fields.
  static func problem(_ status: Int, _ detail: String, _ more: [(String, String)] = []) -> HTTPResponse {
    let titles = [
      400: "Bad request", 401: "Not signed in", 403: "Forbidden", 404: "Not found", 405: "Method not allowed",
      406: "Not acceptable", 409: "Conflict", 411: "Length required", 412: "Changed meanwhile", 413: "Too large",
      415: "Unknown content type",
      421: "Not this service", 422: "Not understood", 428: "Precondition required", 429: "Too many requests",
      431: "Head too large", 500: "Failure", 503: "Busy",
    ]
    let fields = [
      ("title", (titles[status] ?? "Error").json), ("status", "\(status)"), ("detail", detail.json),
    ]
    let text = (fields + more).map { "\"\($0.0)\":\($0.1)" }.joined(separator: ",")
    return HTTPResponse(status, type: "application/problem+json", "{\(text)}".utf8)
  }
}
