/// Whether a mapping decodes each column into the property that it pairs with it.
///
/// The compiler checks that the types agree, and can't tell two columns of one type apart. A mapping that lists two
/// of them in another order than the initializer's parameters reads rows that look right and writes them back
/// exchanged. So rows are encoded again as they are decoded, until each two columns of one type have held different
/// values and have come back in their places.
@usableFromInline
final class MappingProof<Root>: Sendable {
  private let properties: [MappedProperty<Root>]
  private let lock = Lock()
  // because every access is under `lock`
  nonisolated(unsafe) private var pairs: [Pair]

  /// Two columns of one type that are not proved yet.
  private struct Pair {
    var first: Int
    var second: Int
    /// The rows in which both held different values, and neither came back as it was.
    var undecided = 0
  }

  /// An entity that changes its values as it is made is believed after so many rows.
  private static var patience: Int { 64 }

  init(_ properties: [MappedProperty<Root>]) {
    self.properties = properties
    var pairs: [Pair] = []
    for second in properties.indices {
      for first in 0..<second where properties[first].type == properties[second].type {
        pairs.append(Pair(first: first, second: second))
      }
    }
    self.pairs = pairs
  }

  var isComplete: Bool { lock.withLock { pairs.isEmpty } }

  /// Checks an entity that was made of a row; throws where it holds the values of columns exchanged.
  func check(
    _ made: Root, areSame: (Int, Int) -> Bool, value: (Int) throws -> Value, make: ([Value]) throws -> Root
  ) throws {
    let open = lock.withLock { pairs }.filter { !areSame($0.first, $0.second) }
    if open.isEmpty { return }
    let stored: [Value]
    let encoded: [Value]
    do {
      stored = try properties.indices.map { try properties[$0].type.canonical(try value($0)) }
      encoded = try properties.map { try $0.value(made) }
    } catch {
      // A type that can be read and not written proves nothing, and is never written back.
      return lock.withLock { pairs = [] }
    }
    try throwIfExchanged(stored, encoded, make)
    func isKept(_ index: Int) -> Bool { encoded[index] == stored[index] }
    var proved: Set<[Int]> = []
    var undecided: Set<[Int]> = []
    for pair in open where stored[pair.first] != stored[pair.second] {
      if isKept(pair.first) || isKept(pair.second) {
        proved.insert([pair.first, pair.second])
      } else {
        undecided.insert([pair.first, pair.second])
      }
    }
    lock.withLock {
      pairs.removeAll { proved.contains([$0.first, $0.second]) }
      for index in pairs.indices where undecided.contains([pairs[index].first, pairs[index].second]) {
        pairs[index].undecided += 1
      }
      pairs.removeAll { $0.undecided >= Self.patience }
    }
  }

  private func throwIfExchanged(_ stored: [Value], _ encoded: [Value], _ make: ([Value]) throws -> Root) throws {
    let moved = properties.indices.filter { encoded[$0] != stored[$0] }
    for first in moved {
      let group = moved.filter { properties[$0].type == properties[first].type }
      guard let second = group.first(where: { $0 != first && stored[$0] == encoded[first] }),
        Self.counts(group.map { stored[$0] }) == Self.counts(group.map { encoded[$0] })
      else { continue }
      // An entity may put its values in order as it is made, as the ends of a range. Then a row in that order stays
      // as it is.
      let again = try properties.map { try $0.value(make(encoded)) }
      if group.allSatisfy({ again[$0] == encoded[$0] }) { continue }
      throw DatabaseError.misuse(
        """
        the mapping of \(Root.self) exchanges the columns "\(properties[first].name)" and "\(properties[second].name)": \
        list the pairs in the order of the initializer's parameters
        """)
    }
  }

  private static func counts(_ values: [Value]) -> [Value: Int] {
    values.reduce(into: [:]) { $0[$1, default: 0] += 1 }
  }
}

extension Mapping {
  /// Checks an entity that was made of a statement's current row.
  @usableFromInline @inline(never)
  func prove(_ made: Root, _ statement: Statement, _ row: Row) throws {
    if proof.isComplete { return }
    let indices = statement.plan.indices
    func place(_ index: Int) -> Int { Int(indices.map { $0[index] } ?? Int32(index)) }
    try proof.check(
      made, areSame: { statement.areSame(place($0), place($1)) }, value: { try row.read(at: place($0)) },
      make: { try self.decodeUnproved(Row(columns: self.columnNames, values: $0)) })
    // The next row comes this way again as long as not everything is proved.
    if !proof.isComplete { statement.plan.suspend() }
  }

  func prove(_ made: Root, _ row: Row) throws {
    if proof.isComplete { return }
    let values = try columnNames.map { try row[$0] as Value }
    try proof.check(
      made, areSame: { values[$0] == values[$1] }, value: { values[$0] },
      make: { try self.decodeUnproved(Row(columns: self.columnNames, values: $0)) })
  }
}
