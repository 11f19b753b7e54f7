/// Whether a mapping decodes each column into the property that it pairs with it.
///
/// The compiler checks that the types agree, and can't tell two columns of one type apart. A mapping that lists two
/// of them in another order than the initializer's parameters reads rows that look right and writes them back
/// exchanged. So entities are encoded as they are decoded, and what was encoded is decoded and encoded again, until each
/// two columns of one type have held different values and have come back in their places. An entity may change its values
/// as it is made (trim a text, put two ends in order); what it has made it makes again, and an exchange shows all the same.
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
    /// The rows in which both held different values, and that did not tell whether they are exchanged.
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
      // What can't be made again of what it wrote tells nothing.
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

  /// What an entity writes for each column; nil where its value can be read and not written.
  private func encoded(_ entity: Root) -> [Value?] {
    properties.map { property in
      do { return try property.value(entity) } catch { return nil }
    }
  }

  /// Whether two columns whose values differ come back in their places.
  private func isKept(_ pair: Pair, _ first: [Value?], _ second: [Value?]?) -> Bool {
    guard let second, let left = first[pair.first], let right = first[pair.second], left != right else { return false }
    return second[pair.first] == left && second[pair.second] == right
  }

  /// Throws where values come back after several turns, having been in other columns of their type meanwhile.
  private func throwIfExchanged(
    _ first: [Value?], _ second: [Value?], _ stored: [Value], _ make: ([Value]) throws -> Root
  ) throws {
    let moved = properties.indices.filter { first[$0] != second[$0] && first[$0] != nil && second[$0] != nil }
    for index in moved {
      let group = moved.filter { properties[$0].type == properties[index].type }
      guard group.count > 1 else { continue }
      var turn = second
      // A circle of columns comes back after as many turns as it has columns, and one more that tidies the values.
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
  /// Checks an entity that was made of a statement's current row.
  @usableFromInline @inline(never)
  func prove(_ made: Root, _ statement: Statement, _ row: Row) throws {
    if proof.isComplete { return }
    // The next row comes this way again as long as not everything is proved, also after an error that was caught.
    defer { if !proof.isComplete { statement.plan.suspend() } }
    let indices = statement.plan.indices
    func place(_ index: Int) -> Int { Int(indices.map { $0[index] } ?? Int32(index)) }
    try proof.check(
      made, areSame: { statement.areSame(place($0), place($1)) }, value: { try row.read(at: place($0)) },
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
