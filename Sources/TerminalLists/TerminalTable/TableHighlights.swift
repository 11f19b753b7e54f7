import DataSources

/// The highlighted rows, by id, and until when.
///
/// Ids whose hash changes only lose their highlight; as keys of a dictionary they would stop the program.
struct TableHighlights {
  private var ends: [Int: [(id: AnyHashable, end: ContinuousClock.Instant)]] = [:]

  var isEmpty: Bool { ends.isEmpty }

  /// When the first highlight ends; nil if nothing is highlighted.
  var firstEnd: ContinuousClock.Instant? { ends.values.lazy.flatMap { $0 }.map(\.end).min() }

  func contains(_ id: AnyHashable) -> Bool { ends[id.hashValue]?.contains { areSame($0.id, id) } ?? false }

  mutating func add(_ id: AnyHashable, until end: ContinuousClock.Instant) {
    var same = ends[id.hashValue] ?? []
    same.removeAll { areSame($0.id, id) }
    ends[id.hashValue] = same + [(id, end)]
  }

  mutating func removeAll(before now: ContinuousClock.Instant) {
    ends = ends.mapValues { $0.filter { $0.end > now } }.filter { !$0.value.isEmpty }
  }
}
