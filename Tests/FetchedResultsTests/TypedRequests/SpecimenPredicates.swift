import DataSourcesTestSupport
import FetchedResults
import Foundation
import TestSupport

/// Predicates over a specimen with captured values of any kind, guards among them that Swift does not pass.
struct SpecimenPredicates {
  var random: SeededGenerator

  @resultBuilder enum List {
    static func buildExpression(_ predicate: Predicate<Specimen>) -> Predicate<Specimen> { predicate }
    static func buildBlock(_ predicates: Predicate<Specimen>...) -> [Predicate<Specimen>] { predicates }
  }

  private struct Filter: Codable {
    var useMin: Bool
    var min: Int?
    var search: String?
  }

  mutating func all() -> [Predicate<Specimen>] { equality() + order() + membership() + guards() + captured() }

  /// Those whose captured values are all bound as they are.
  mutating func bound() -> [Predicate<Specimen>] { equality() + order().dropLast() + membership() }

  private mutating func uuid() -> UUID {
    withUnsafeBytes(of: (random.next(), random.next())) { UUID(uuid: $0.load(as: uuid_t.self)) }
  }

  private mutating func text() -> String { random.pick(SpecimenWorld.texts + SpecimenWorld.numbers) }

  private mutating func equality() -> [Predicate<Specimen>] {
    let (uuid, text, date) = (random.pick(SpecimenWorld.uuids), text(), random.pick(SpecimenWorld.dates))
    let (owner, note, due) = (
      random.maybe(SpecimenWorld.uuids), random.maybe(SpecimenWorld.texts), random.maybe([date])
    )
    let (single, flag) = (random.pick(SpecimenWorld.singles), random.below(2) == 0)
    let (level, grade) = (random.pick(Specimen.Level.allCases), random.pick(Specimen.Grade.allCases))
    let tag = Specimen.Tag(rawValue: uuid)
    @List var list: [Predicate<Specimen>] {
      #Predicate<Specimen> { $0.id == uuid }
      #Predicate<Specimen> { $0.id != uuid }
      #Predicate<Specimen> { $0.owner == owner }
      #Predicate<Specimen> { $0.owner != owner }
      #Predicate<Specimen> { ($0.owner ?? uuid) == $0.id }
      #Predicate<Specimen> { $0.tag == tag }
      #Predicate<Specimen> { $0.tag != tag }
      #Predicate<Specimen> { $0.text == text }
      #Predicate<Specimen> { $0.text != text }
      #Predicate<Specimen> { $0.text == ($0.note ?? "") }
      #Predicate<Specimen> { $0.note == note }
      #Predicate<Specimen> { $0.date == date }
      #Predicate<Specimen> { $0.date != date }
      #Predicate<Specimen> { $0.due == due }
      #Predicate<Specimen> { $0.due != nil && $0.due! == $0.date }
      #Predicate<Specimen> { $0.single == single }
      #Predicate<Specimen> { $0.single != single }
      #Predicate<Specimen> { $0.flag == flag }
      #Predicate<Specimen> { ($0.maybe ?? true) == $0.flag }
      #Predicate<Specimen> { $0.level == level }
      #Predicate<Specimen> { $0.grade == grade }
      #Predicate<Specimen> { $0.grade != grade }
    }
    return list
  }

  private mutating func order() -> [Predicate<Specimen>] {
    let (text, date) = (text(), random.pick(SpecimenWorld.dates))
    let (low, high) = (min(text, "m"), max(text, "m"))
    let (single, other) = (random.pick(SpecimenWorld.singles), random.pick(SpecimenWorld.singles))
    @List var list: [Predicate<Specimen>] {
      #Predicate<Specimen> { $0.text < text }
      #Predicate<Specimen> { $0.text <= text }
      #Predicate<Specimen> { $0.text > text }
      #Predicate<Specimen> { $0.text >= text }
      #Predicate<Specimen> { text < $0.text }
      #Predicate<Specimen> { ($0.note ?? "") < $0.text }
      #Predicate<Specimen> { $0.note != nil && $0.note! >= $0.text }
      #Predicate<Specimen> { (low...high).contains($0.text) }
      #Predicate<Specimen> { (low..<high).contains($0.text) }
      #Predicate<Specimen> { $0.date < date }
      #Predicate<Specimen> { $0.date >= date }
      #Predicate<Specimen> { $0.due != nil && $0.due! <= $0.date }
      #Predicate<Specimen> { $0.single < single }
      #Predicate<Specimen> { $0.single <= single }
      #Predicate<Specimen> { $0.single > single }
      #Predicate<Specimen> { $0.single >= single }
      #Predicate<Specimen> { single <= other && (single...other).contains($0.single) }
    }
    return list
  }

  private mutating func membership() -> [Predicate<Specimen>] {
    let uuids = [random.pick(SpecimenWorld.uuids), random.pick(SpecimenWorld.uuids)]
    let many = Array(SpecimenWorld.uuids.dropFirst(4)) + (0..<20).map { _ in uuid() }
    let (texts, dates) = ([text(), text()], [random.pick(SpecimenWorld.dates)])
    let (singles, tags) = ([random.pick(SpecimenWorld.singles)], uuids.map { Specimen.Tag(rawValue: $0) })
    let owners: [UUID?] = [random.maybe(SpecimenWorld.uuids), nil]
    let grades = [random.pick(Specimen.Grade.allCases)]
    let word = text()
    @List var list: [Predicate<Specimen>] {
      #Predicate<Specimen> { uuids.contains($0.id) }
      #Predicate<Specimen> { many.contains($0.id) }
      #Predicate<Specimen> { owners.contains($0.owner) }
      #Predicate<Specimen> { tags.contains($0.tag) }
      #Predicate<Specimen> { texts.contains($0.text) }
      #Predicate<Specimen> { !texts.contains($0.text) }
      #Predicate<Specimen> { dates.contains($0.date) }
      #Predicate<Specimen> { singles.contains($0.single) }
      #Predicate<Specimen> { grades.contains($0.grade) }
      #Predicate<Specimen> { $0.text.utf8.count > 2 }
      #Predicate<Specimen> { $0.bytes.count == 1 && !$0.bytes.isEmpty }
      #Predicate<Specimen> { $0.text.starts(with: word) }
      #Predicate<Specimen> { $0.place?.city == word }
      #Predicate<Specimen> { $0.place?.city.isEmpty ?? true }
    }
    return list
  }

  private mutating func guards() -> [Predicate<Specimen>] {
    let (divisor, total) = (random.below(3) - 1, random.pick([10, Int.max, Int.min]))
    let (lo, hi) = (random.below(5) - 2, random.below(5) - 2)
    let search = random.maybe(SpecimenWorld.texts)
    let f = Filter(useMin: random.below(2) == 0, min: 0, search: search)
    let g = Filter(useMin: false, min: nil, search: nil)
    let flag = random.below(2) == 0
    let most = Int.max
    let least = random.maybe([0, 1])
    @List var list: [Predicate<Specimen>] {
      #Predicate<Specimen> { divisor > 0 && $0.number > total / divisor }
      #Predicate<Specimen> { divisor <= 0 || $0.number > total % divisor }
      #Predicate<Specimen> { lo <= hi && (lo...hi).contains($0.number) }
      #Predicate<Specimen> { lo > hi || (lo..<hi).contains($0.number) }
      #Predicate<Specimen> { search == nil || $0.text.contains(search!) }
      #Predicate<Specimen> { f.search == nil || $0.text.contains(f.search!) }
      #Predicate<Specimen> { f.useMin ? $0.number >= f.min! : true }
      #Predicate<Specimen> { g.useMin ? $0.number >= g.min! : $0.flag }
      #Predicate<Specimen> { item in if let least { item.number >= least } else { item.flag } }
      #Predicate<Specimen> { total < most && $0.number < total + 1 }
      #Predicate<Specimen> { $0.number > 100 && $0.number > total / (divisor - divisor) }
      #Predicate<Specimen> { $0.number > 100 ? $0.number == total * 2 : flag }
      #Predicate<Specimen> { $0.number < 100 || $0.number == -(-most - 1) }
      #Predicate<Specimen> { flag && $0.flag || !flag && !$0.flag }
    }
    return list
  }

  private mutating func captured() -> [Predicate<Specimen>] {
    let names = [text(), text()]
    let counts = ["k": random.below(3)]
    let nums = [random.below(4) - 2, random.below(4) - 2]
    let bytes = Data([1, 2])
    let key = random.pick(["k", "l"])
    let place = Specimen.Place(city: text())
    let index = 1
    @List var list: [Predicate<Specimen>] {
      #Predicate<Specimen> { $0.text == names[0] }
      #Predicate<Specimen> { $0.text == names[index - 1] }
      #Predicate<Specimen> { $0.number == counts["k"]! }
      #Predicate<Specimen> { $0.number == (counts[key] ?? 1) }
      #Predicate<Specimen> { $0.number == counts[key, default: 2] }
      #Predicate<Specimen> { $0.number >= nums.max()! }
      #Predicate<Specimen> { $0.number >= nums.min() ?? 0 }
      #Predicate<Specimen> { $0.number == nums.filter { $0 > 0 }.count }
      #Predicate<Specimen> { $0.number < bytes.count }
      #Predicate<Specimen> { bytes.isEmpty || $0.flag }
      #Predicate<Specimen> { $0.text == place.city }
      #Predicate<Specimen> { item in names.contains { $0 == item.text } }
      #Predicate<Specimen> { item in nums.allSatisfy { $0 <= item.number } }
      #Predicate<Specimen> { item in nums.contains { $0 != 0 && item.number > 6 / $0 } }
    }
    return list
  }
}
