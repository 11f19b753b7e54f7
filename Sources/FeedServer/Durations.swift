/// How long something took, each time: a histogram.
///
/// ```swift
/// let server = FeedServer()
/// let answers = server.counts.answers
/// print(answers.count, answers.sum / Double(max(1, answers.count)))  // how many, and the mean in seconds
/// ```
public struct Durations: Sendable {
  /// The upper bounds of its classes, in seconds. What took longer is only in ``count``.
  public static let bounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
  /// How many took at most as long as each of the bounds.
  public private(set) var counts = [Int](repeating: 0, count: bounds.count)
  /// How many there were.
  public private(set) var count = 0
  /// How long all took together, in seconds.
  public private(set) var sum = 0.0

  mutating func add(nanoseconds: UInt64) {
    let seconds = Double(nanoseconds) / 1e9
    (count, sum) = (count + 1, sum + seconds)
    for place in Self.bounds.indices.reversed() {
      if Self.bounds[place] < seconds { break }
      counts[place] += 1
    }
  }
}

/// A request when all of its answer is sent, for a log.
///
/// ```swift
/// var options = FeedServerOptions()
/// options.answered = { print($0.method, $0.path, $0.status, $0.duration) }
/// ```
public struct AnsweredRequest: Sendable {
  /// The method.
  public var method: String
  /// The path, decoded and without the query.
  public var path: String
  /// The status; 0 if the client had gone before.
  public var status: Int
  /// How many bytes of the body were made for the client.
  public var bytes: Int
  /// How long it took from the end of the head: of a stream, as long as it was read.
  public var duration: Duration
}
