import FetchedResultsSupport

/// Checks whether a mapping decodes each column into the property that it is paired with.
///
/// The compiler checks the types, but can't tell two columns of the same type apart. If a mapping lists two of them in
/// another order than the initializer's parameters, rows look right when they are read and are written back swapped. So
/// decoded entities are encoded, and the result is decoded and encoded again, until every two columns of the same type
/// have held different values and have come back in their places. An entity may change its values in its initializer
/// (trim a text, sort two values). It makes the same change again in the second round, so a swap still shows.
@usableFromInline
final class MappingProof<Root>: Sendable {
  private let properties: [MappedProperty<Root>]
  private let lock = Lock()
  // because every access is under `lock`
  nonisolated(unsafe) private var pairs: [Pair]

  /// Two columns of the same type that are not proved yet.
  private struct Pair {
    var first: Int
    var second: Int
    /// The number of rows in which both held different values that did not show whether they are swapped.
    var undecided = 0
  }

  /// After this many undecided rows, an entity that changes its values is trusted.
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

  /// Checks an entity that was made from a row; throws if it holds the values of swapped columns.
  func check(
    _ made: Root, areSame: (Int, Int) -> Bool, value: (Int) throws -> Value, make: ([Value]) throws -> Root
  ) throws {
    let open = lock.withLock { pairs }.filter { !areSame($0.first, $0.second) }
    if open.isEmpty { return }
    let first = encoded(made)
    var second: [Value?]?
    do {
      let stored = try first.indices.map { try first[$0] ?? value($0) }
      let again = encoded(try make(stored))
      second = again
      if again != first { try throwIfExchanged(first, again, stored, make) }
    } catch let error as DatabaseError where error.code == .misuse {
      throw error
    } catch {
      // If no entity can be made from its own output, nothing can be concluded.
    }
    var proved: Set<[Int]> = []
    for pair in open where isKept(pair, first, second) { proved.insert([pair.first, pair.second]) }
    let undecided = Set(open.map { [$0.first, $0.second] }).subtracting(proved)
    lock.withLock {
      pairs.removeAll { proved.contains([$0.first, $0.second]) }
      for index in pairs.indices where undecided.contains([pairs[index].first, pairs[index].second]) {
        pairs[index].undecided += 1
      }
      pairs.removeAll { $0.undecided >= Self.patience }
    }
  }

  /// What an entity writes for each column; nil if its value can be read but not written.
  private func encoded(_ entity: Root) -> [Value?] {
    properties.map { property in
      do { return try property.value(entity) } catch { return nil }
    }
  }

  /// Whether two columns with different values come back in their places.
  private func isKept(_ pair: Pair, _ first: [Value?], _ second: [Value?]?) -> Bool {
    guard let second, let left = first[pair.first], let right = first[pair.second], left != right else { return false }
    return second[pair.first] == left && second[pair.second] == right
  }

  /// Throws if values come back after several rounds, after having been in other columns of their type.
  private func throwIfExchanged(
    _ first: [Value?], _ second: [Value?], _ stored: [Value], _ make: ([Value]) throws -> Root
  ) throws {
    let moved = properties.indices.filter { first[$0] != second[$0] && first[$0] != nil && second[$0] != nil }
    for index in moved {
      let group = moved.filter { properties[$0].type == properties[index].type }
      guard group.count > 1 else { continue }
      var turn = second
      // A cycle of columns comes back after as many rounds as it has columns, plus one in which the entity adjusts its
      // values.
      for _ in 0..<min(group.count, 16) {
        turn = encoded(try make(turn.indices.map { turn[$0] ?? stored[$0] }))
        if group.allSatisfy({ turn[$0] == first[$0] }) { throw exchanged(index, group.first { $0 != index } ?? index) }
      }
    }
  }

  private func exchanged(_ first: Int, _ second: Int) -> DatabaseError {
    DatabaseError.misuse(
      """
      the mapping of \(Root.self) exchanges the columns "\(properties[first].name)" and "\(properties[second].name)": \
      list the pairs in the order of the initializer's parameters
      """)
  }
}

extension Mapping {
  /// Checks an entity that was made from a statement's current row.
  @usableFromInline @inline(never)
  func prove(_ made: Root, _ statement: UnsafeMutablePointer<EngineStatement>, _ row: Row) throws {
    if proof.isComplete { return }
    // Until everything is proved, the next row is checked too, even after an error that was caught.
    defer { if !proof.isComplete { statement.pointee.plan.suspend() } }
    let indices = statement.pointee.plan.indices
    func place(_ index: Int) -> Int { Int(indices.map { $0[index] } ?? Int32(index)) }
    try proof.check(
      made, areSame: { statement.pointee.areSame(place($0), place($1)) }, value: { try row.read(at: place($0)) },
      make: { try self.decodeUnproved(Row(columns: self.columnNames, values: $0)) })
  }

  func prove(_ made: Root, _ row: Row) throws {
    if proof.isComplete { return }
    let values = try columnNames.map { try row[$0] as Value }
    try proof.check(
      made, areSame: { values[$0] == values[$1] }, value: { values[$0] },
      make: { try self.decodeUnproved(Row(columns: self.columnNames, values: $0)) })
  }
}
