/// What is served at a path.
struct Route: Sendable {
  enum Target: Sendable {
    case handler(FeedServer.Handler)
    case feed(FeedServer.Feeds, FeedServer.Authorization?)
    case edits(FeedServer.Feeds, FeedServer.Authorization?)
  }

  let method: String
  let pattern: [Substring]
  let target: Target
  /// How many bytes a body has at most, if that is not the same as elsewhere.
  var bodyBytes: Int?
  /// Decides about a request by its head.
  var authorize: (@Sendable (HTTPRequest) -> HTTPResponse?)?

  init(_ method: String, _ path: String, _ target: Target) {
    (self.method, self.target) = (method, target)
    pattern = path.split(separator: "/", omittingEmptySubsequences: false)
  }

  /// The parts of a path that this pattern has names for; nil if it is another path.
  func parameters(of path: [Substring]) -> [String: String]? {
    guard path.count == pattern.count else { return nil }
    var found: [String: String] = [:]
    for (expected, part) in zip(pattern, path) {
      if expected.hasPrefix("{"), expected.hasSuffix("}"), !part.isEmpty {
        found[String(expected.dropFirst().dropLast())] = String(part)
      } else if expected != part {
        return nil
      }
    }
    return found
  }
}

/// The route of a request, or why there is none.
enum RouteMatch {
  case route(Route, [String: String])
  case refusal(Int, String, headers: [String: String])

  init(_ method: String, _ path: String, in routes: [Route]) {
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    var allowed: [String] = []
    for route in routes {
      guard let parameters = route.parameters(of: parts) else { continue }
      if route.method == method || (route.method == "GET" && method == "HEAD") {
        self = .route(route, parameters)
        return
      }
      allowed += route.method == "GET" ? ["GET", "HEAD"] : [route.method]
    }
    self =
      allowed.isEmpty
      ? .refusal(404, "nothing is at this path", headers: [:])
      : .refusal(
        405, "\(method) is not possible here, only \(allowed.joined(separator: ", "))",
        headers: ["Allow": allowed.joined(separator: ", ")])
  }
}
