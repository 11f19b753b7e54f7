#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// What a ``FeedServer`` answers. A handler may also throw it: `throw HTTPResponse(404, "no such order")`.
///
/// ```swift
/// throw HTTPResponse(404, "no such list", headers: ["Cache-Control": "no-store"])
/// ```
public struct HTTPResponse: Error, Sendable {
  /// The status, such as 200.
  public var status: Int
  /// The headers; Content-Length, Date and Connection come by themselves.
  public var headers: [String: String]
  /// The body.
  public var body: [UInt8]
  /// Whether an answer with status 401 counts for ``FeedServerOptions/unauthorizedAtOnce``. Set it to false for a
  /// request that brought no secret, which is no attempt to guess one.
  public var countsAsGuess = true

  /// Creates an answer of bytes.
  public init(_ status: Int, type: String, _ body: some Sequence<UInt8>, headers: [String: String] = [:]) {
    (self.status, self.body) = (status, Array(body))
    self.headers = headers.merging(["Content-Type": type]) { own, _ in own }
  }

  /// Creates an answer of plain text, such as an error: `HTTPResponse(404, "no such order")`.
  public init(_ status: Int, _ text: String, headers: [String: String] = [:]) {
    self.init(status, type: "text/plain; charset=utf-8", (text + "\n").utf8, headers: headers)
  }

  /// Creates an answer of JSON.
  public init(
    _ status: Int = 200, json value: some Encodable, encoder: JSONEncoder = JSONEncoder(),
    headers: [String: String] = [:]
  ) throws {
    self.init(status, type: "application/json", try encoder.encode(value), headers: headers)
  }
}
