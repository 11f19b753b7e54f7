import FeedServer
import FetchedResultsSupport
import TodoCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// What is written to standard error: errors as text, or errors and requests as JSON, an object a line.
enum Log {
  enum Level: String { case info, warning, error }

  /// Whether lines are JSON. It is set once, before anything is served.
  static let isJSON = Locked(false)

  fileprivate static func write(_ level: Level, _ message: String, _ more: [(String, JSONValue)] = []) {
    var line = "todo serve: \(message)"
    if isJSON.withLock({ $0 }) {
      let time = Date().ISO8601Format(.iso8601(timeZone: .gmt, includingFractionalSeconds: true)) + "Z"
      let fields: [(String, JSONValue)] = [
        ("time", .string(time)), ("level", .string(level.rawValue)), ("message", .string(message)),
      ]
      line = JSONValue.object(JSONObject(fields + more)).text
    }
    // In one piece, so that lines of several threads don't mix. A line that can't be written is lost.
    Array("\(line)\n".utf8).withUnsafeBytes { _ = CLibrary.write(2, $0) }
  }

  /// A request, without what could be secret or private: its query, its headers and its body.
  static func write(_ request: AnsweredRequest) {
    let (seconds, attoseconds) = request.duration.components
    let milliseconds = Double(seconds) * 1000 + Double(attoseconds / 1_000_000_000_000) / 1000
    write(
      request.status >= 500 ? .error : .info, "\(request.method) \(request.path) \(request.status)",
      [
        ("method", .string(request.method)), ("path", .string(request.path)), ("status", .integer(request.status)),
        ("ms", .number("\(milliseconds)")), ("bytes", .integer(request.bytes)),
      ])
  }
}

/// Writes a line to standard error.
func log(_ line: String, _ level: Log.Level = .error) { Log.write(level, line) }
