import DataSourcesTestSupport
import FetchedResults
import Foundation
import TestSupport
import Testing

/// When two requests with predicates are equal, without any engine that knows their SQL.
@Suite struct PredicateEqualityTests {
  struct Filter: Codable {
    enum Scope: Codable { case all, open, list(Int) }
    enum Grade: String, Codable, CustomStringConvertible {
      case low, high
      var description: String { "a grade" }
    }
    var word: String?
    var scope = Scope.all
    var grade = Grade.low
  }

  /// A word that is equal to all others.
  struct Lax: Codable, Hashable {
    var word: String
    static func == (left: Lax, right: Lax) -> Bool { true }
    func hash(into hasher: inout Hasher) {}
  }

  struct Mirrored: Codable, CustomReflectable {
    var word: String
    var customMirror: Mirror { Mirror(self, children: []) }
  }

  final class Object: Codable, Sendable {
    let word: String
    init(_ word: String) { self.word = word }
  }

  private func request<V: Codable & Sendable>(_ value: V) -> FetchRequest<Thing> {
    FetchRequest(
      predicate: Predicate<Thing> {
        PredicateExpressions.build_Conjunction(
          lhs: PredicateExpressions.build_KeyPath(root: $0, keyPath: \.done),
          rhs: PredicateExpressions.build_Equal(
            lhs: PredicateExpressions.build_KeyPath(
              root: PredicateExpressions.build_Arg([value]), keyPath: \.count),
            rhs: PredicateExpressions.build_Arg(1)))
      })
  }

  private func areEqual<V: Codable & Sendable>(_ left: V, _ right: V) -> Bool {
    let (left, right) = (request(left), request(right))
    #expect(left == left && right == right)
    if left == right { #expect(left.hashValue == right.hashValue) }
    return left == right
  }

  private func sql<E: MappedEntity>(_ predicate: Predicate<E>) -> Result<SQL, DatabaseError> {
    Result { () throws(DatabaseError) in try SQL(predicate) }
  }

  // MARK: The SQL as the measure

  @Test func `random requests are equal exactly if their shapes and captured values are`() {
    // Two spellings of é follow each other.
    let texts = ["", "é", "e\u{301}", "a", "A", "a\u{0}", "日本"]
    var (changes, visible) = (0, 0)
    var seen: [FetchRequest<Thing>: Result<SQL, DatabaseError>] = [:]
    for seed in Seeds.range(200) {
      let (predicate, captured) = PredicateTrees.predicate(seed: seed, texts: texts, changing: nil)
      let (again, _) = PredicateTrees.predicate(seed: seed, texts: texts, changing: nil)
      let (request, copy) = (FetchRequest(predicate: predicate), FetchRequest(predicate: again))
      let sql = sql(predicate)
      let isSame = request == copy && request.hashValue == copy.hashValue
      #expect(isSame, "\(predicate), replay with SEED=\(seed)")
      #expect(sql == self.sql(again))
      for changed in 0..<captured {
        let (predicate, _) = PredicateTrees.predicate(seed: seed, texts: texts, changing: changed)
        let isDifferent = FetchRequest(predicate: predicate) != request
        #expect(isDifferent, "value \(changed) of \(predicate), replay with SEED=\(seed)")
        changes += 1
        // Not every value has an effect: `false && $0.number > 1`.
        if self.sql(predicate) != sql { visible += 1 }
      }
      if let other = seen.updateValue(sql, forKey: request) { #expect(other == sql, "replay with SEED=\(seed)") }
    }
    #expect(visible > changes / 2, "\(visible) of \(changes)")
  }

  @Test func `requests whose values are all bound are equal exactly if their SQL is`() {
    var (equal, different) = (0, 0)
    for seed in Seeds.range(10) {
      var first = SpecimenPredicates(random: SeededGenerator(seed: seed))
      var second = first
      var other = SpecimenPredicates(random: SeededGenerator(seed: seed + 1_000_000))
      for (one, same) in zip(first.all(), second.all()) where FetchRequest(predicate: one) != .init(predicate: same) {
        Issue.record("\(one), replay with SEED=\(seed)")
      }
      first = SpecimenPredicates(random: SeededGenerator(seed: seed))
      for (one, two) in zip(first.bound(), other.bound()) {
        let (left, right) = (FetchRequest(predicate: one), FetchRequest(predicate: two))
        let (isEqual, isEqualSQL) = (left == right, sql(one) == sql(two))
        #expect(isEqual == isEqualSQL, "\(one) and \(two), replay with SEED=\(seed)")
        if isEqual { #expect(left.hashValue == right.hashValue) }
        if isEqual { equal += 1 } else { different += 1 }
      }
    }
    #expect(equal > 0 && different > 0 || Seeds.repeated != nil)
  }

  // MARK: What is the same

  @Test func `texts are compared by their bytes, wherever they are`() {
    let (composed, other) = ("caf\u{E9}", "cafe\u{301}")
    #expect(composed == other)
    #expect(areEqual(composed, composed) && !areEqual(composed, other))
    #expect(areEqual([composed], [composed]) && !areEqual([composed], [other]))
    #expect(areEqual(Optional(composed), composed) && !areEqual(Optional(composed), other))
    #expect(!areEqual(Optional(composed), nil))
    #expect(areEqual(Set([composed]), [composed]) && !areEqual(Set([composed]), [other]))
    #expect(!areEqual([composed: 1], [other: 1]) && !areEqual([1: composed], [1: other]))
    #expect(areEqual(Filter(word: composed), Filter(word: composed)))
    #expect(!areEqual(Filter(word: composed), Filter(word: other)))
    #expect(!areEqual(composed...composed, composed...other))
    #expect(!areEqual(Lax(word: "a"), Lax(word: "b")) && areEqual(Lax(word: "a"), Lax(word: "a")))
    #expect(!areEqual(["a", "bc"], ["ab", "c"]))
  }

  @Test func `sets and dictionaries are equal in any order`() {
    let words = (0..<100).map { "word \($0)" }
    var reversed = Set<String>(minimumCapacity: 1000)
    for word in words.reversed() { reversed.insert(word) }
    #expect(areEqual(Set(words), reversed))
    #expect(!areEqual(Set(words), reversed.union(["more"])))
    #expect(!areEqual(Set(words), Set(words.dropLast() + ["more"])))
    let numbers = Dictionary(uniqueKeysWithValues: zip(words, 0...))
    let same = Dictionary(uniqueKeysWithValues: zip(words, 0...).reversed())
    #expect(areEqual(numbers, same))
    #expect(!areEqual(numbers, numbers.merging(["word 7": 0]) { $1 }))
    #expect(areEqual(Set([[1, 2], [3]]), [[3], [1, 2]]) && !areEqual(Set([[1, 2], [3]]), [[3], [2, 1]]))
  }

  @Test func `numbers, dates and bytes are compared by value`() {
    #expect(areEqual(0.5, 0.5) && !areEqual(0.0, -0.0) && !areEqual(0.1, 0.1.nextUp))
    #expect(areEqual(Float(0.1), 0.1) && !areEqual(Float(0.1), Float(0.1).nextUp))
    #expect(areEqual(Double.infinity, .infinity) && !areEqual(Double.infinity, -.infinity))
    #expect(areEqual(UInt64.max, .max) && !areEqual(UInt64.max, .max - 1) && !areEqual(Int8(-1), 1))
    #expect(!areEqual(true, false) && areEqual(true, true))
    #expect(areEqual([1, 2], [1, 2]) && !areEqual([1, 2], [2, 1]) && !areEqual([1], [1, 1]))
    #expect(areEqual([Int](), []))
    #expect(areEqual(Edge.dates[0], Edge.dates[0]) && !areEqual(Edge.dates[0], Edge.dates[1]))
    #expect(areEqual(Edge.owners[0], Edge.owners[0]) && !areEqual(Edge.owners[0], Edge.owners[1]))
    #expect(areEqual(Data([1, 2]), Data([1, 2])) && !areEqual(Data([1, 2]), Data([1, 3])))
    #expect(areEqual([1, 2] as [UInt8], [1, 2]) && !areEqual([1, 2] as [UInt8], [1, 3]))
    #expect(areEqual(1...2, 1...2) && !areEqual(1...2, 1...3) && !areEqual(1..<2, 1..<3) && !areEqual(1..., 2...))
    #expect(request(1) != request(Int8(1)) && request(1) != request(1.0) && request(Optional(1)) != request(1))
  }

  @Test func `enumerations are compared by their cases and payloads`() {
    #expect(areEqual(Filter(scope: .list(1)), Filter(scope: .list(1))))
    #expect(!areEqual(Filter(scope: .list(1)), Filter(scope: .list(2))))
    #expect(areEqual(Filter(scope: .open), Filter(scope: .open)))
    #expect(!areEqual(Filter(scope: .open), Filter(scope: .all)))
    #expect(areEqual(Filter(grade: .high), Filter(grade: .high)))
    #expect(!areEqual(Filter(grade: .high), Filter(grade: .low)))
    #expect(areEqual(Thing.Level.low, .low) && !areEqual(Thing.Level.low, .high))
  }

  @Test func `what can't be looked into is the same only in copies of a request`() {
    let object = Object("a")
    #expect(!areEqual(object, object) && !areEqual([object], [object]))
    #expect(!areEqual(Mirrored(word: "a"), Mirrored(word: "a")))
    #expect(!areEqual(Double.nan, .nan))
    let request = request(object)
    var copy = request
    #expect(copy == request && copy.hashValue == request.hashValue)
    copy.limit = 3
    #expect(copy != request)
  }

  // MARK: Closures and shapes

  private func nested(_ numbers: [Int], swapped: Bool) -> FetchRequest<Thing> {
    let (ascending, descending) = (
      #Predicate<Thing> { t in numbers.contains { a in numbers.contains { b in a - b > t.number } } },
      #Predicate<Thing> { t in numbers.contains { a in numbers.contains { b in b - a > t.number } } }
    )
    return FetchRequest(predicate: swapped ? descending : ascending)
  }

  @Test func `variables of closures are distinguished by their closures`() {
    #expect(nested([1, 2], swapped: false) == nested([1, 2], swapped: false))
    #expect(nested([1, 2], swapped: true) == nested([1, 2], swapped: true))
    #expect(nested([1, 2], swapped: false) != nested([1, 2], swapped: true))
    #expect(nested([1, 2], swapped: false) != nested([1, 3], swapped: false))
  }
}
