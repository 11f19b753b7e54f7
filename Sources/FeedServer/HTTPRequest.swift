/// A request to a ``FeedServer``.
///
/// ```swift
/// func session(of request: HTTPRequest) -> String? { request.isFromAnotherSite ? nil : request.cookie("session") }
/// ```
public struct HTTPRequest: Sendable {
  /// The method, in capitals.
  public var method: String
  /// The path, decoded and without the query.
  public var path: String
  /// The parts of the path that stand where its pattern has names: of `/customers/7`, with the pattern
  /// `/customers/{id}`, `["id": "7"]`.
  public var parameters: [String: String] = [:]
  /// The query's values by their names; of a name that is given more than once, the last one.
  public var query: [String: String] = [:]
  /// The headers by their names in lower case.
  public var headers: [String: String] = [:]
  /// The body, empty if there is none.
  public var body: [UInt8] = []

  /// Creates a request, such as for a test of a handler.
  public init(_ method: String, _ path: String) { (self.method, self.path) = (method, path) }

  /// Whether the page of another site has made a browser send it: then refuse to change anything. Programs send no
  /// `Origin`.
  public var isFromAnotherSite: Bool {
    guard let origin = headers["origin"] else { return false }
    let host = headers["host"] ?? ""
    return origin != "http://\(host)" && origin != "https://\(host)"
  }

  /// Whether the client takes a type of content: its header `Accept` names it, or a kind of types, or is missing.
  ///
  /// ```swift
  /// let server = FeedServer()
  /// server.on("GET", "/version") { request in
  ///   request.accepts("application/json")
  ///     ? HTTPResponse(200, type: "application/json", "{\"version\": 1}".utf8) : HTTPResponse(406, "this is JSON")
  /// }
  /// ```
  public func accepts(_ type: String) -> Bool {
    guard let accept = headers["accept"] else { return true }
    let kind = type.prefix { $0 != "/" } + "/*"
    return accept.split(separator: ",").contains { part in
      let words = part.lowercased().split(separator: ";").map { $0.filter { $0 != " " && $0 != "\t" } }
      guard let first = words.first, first == type || first == kind || first == "*/*" else { return false }
      return !words.dropFirst().contains {
        $0.hasPrefix("q=0") && $0.dropFirst(3).allSatisfy { $0 == "." || $0 == "0" }
      }
    }
  }

  /// The value of a cookie.
  public func cookie(_ name: String) -> String? {
    for part in (headers["cookie"] ?? "").split(separator: ";") {
      let pair = part.drop { $0 == " " }
      if pair.hasPrefix(name + "=") { return String(pair.dropFirst(name.count + 1)) }
    }
    return nil
  }
}
