import FetchedResults
import Foundation

/// Predicates in separate declarations, so that the compiler checks each by itself.
@resultBuilder enum Predicates {
  static func buildExpression(_ predicate: Predicate<Thing>) -> Predicate<Thing> { predicate }
  static func buildBlock(_ predicates: Predicate<Thing>...) -> [Predicate<Thing>] { predicates }
}

/// Predicates over every operator, with captured values of every kind.
enum PredicateCases {
  private static let limit = 3
  private static let maybe: Int? = 2
  private static let word = "a"
  private static let nul = "a\u{0}"
  private static let quote = "it's"
  private static let wild = "%"
  private static let big: Int64 = 1 << 53 + 1
  private static let now = Edge.dates[0]
  private static let later = Edge.dates[2]
  private static let far = Date(timeIntervalSince1970: 1e12)
  private static let owner = Edge.owners[0]
  private static let owners: [UUID] = [Edge.owners[1]]
  private static let numbers = [1, 2, -4]
  private static let none: [Int] = []
  private static let maybes: [Int?] = [nil, 3]
  private static let texts: Set = ["a", "it's", "a\u{0}b"]
  private static let dates = [Edge.dates[0], Edge.dates[4]]
  private static let half = -2..<3
  private static let span = 0.1..<2.0
  private static let from = 2...
  private static let upTo = ..<2
  private static let through = ...2
  private static let times = Edge.dates[4]...Edge.dates[0]
  private static let words = "a"..."b"
  private static let level = Thing.Level.high
  private static let levels: Set<Thing.Level> = [.low, .high]
  private static let mark = Thing.Mark.red
  private static let place = Thing.Place(city: "a", floor: 1)
  private static let flags = [true]
  private static let many = Array(-2000...2)
  private static let infinity = Double.infinity

  @Predicates static var logic: [Predicate<Thing>] {
    Predicate<Thing>.true
    Predicate<Thing>.false
    #Predicate<Thing> { $0.done }
    #Predicate<Thing> { $0.done == true }
    #Predicate<Thing> { $0.flag == true }
    #Predicate<Thing> { $0.flag == nil }
    #Predicate<Thing> { $0.flag ?? false }
    #Predicate<Thing> { $0.flag ?? true }
    #Predicate<Thing> { $0.done ? $0.number > 0 : $0.rank == nil }
    #Predicate<Thing> { flags.contains($0.done) }
    #Predicate<Thing> { flags.contains($0.flag ?? false) }
    #Predicate<Thing> { ($0.rank! > 1) == $0.done }
  }

  @Predicates static var equality: [Predicate<Thing>] {
    #Predicate<Thing> { $0.rank == nil }
    #Predicate<Thing> { nil != $0.rank }
    #Predicate<Thing> { $0.big == big }
    #Predicate<Thing> { $0.big != big }
    #Predicate<Thing> { $0.title == $0.place.city }
    #Predicate<Thing> { $0.made == now }
    #Predicate<Thing> { $0.due == now }
    #Predicate<Thing> { $0.due != now }
    #Predicate<Thing> { $0.due == nil }
    #Predicate<Thing> { $0.due == far }
    #Predicate<Thing> { $0.owner == owner }
    #Predicate<Thing> { $0.owner != owner }
    #Predicate<Thing> { $0.owner == nil }
    #Predicate<Thing> { owner == $0.owner }
    #Predicate<Thing> { owner != $0.owner }
    #Predicate<Thing> { owner == $0.other }
    #Predicate<Thing> { $0.level == level }
    #Predicate<Thing> { $0.level != level }
    #Predicate<Thing> { $0.mark == mark }
    #Predicate<Thing> { $0.mark != mark }
    #Predicate<Thing> { $0.level.rawValue == 3 }
    #Predicate<Thing> { $0.bytes == [1, 2] }
    #Predicate<Thing> { $0.bytes != [0] }
    #Predicate<Thing> { $0.small == 200 }
    #Predicate<Thing> { $0.single == 0.1 }
    #Predicate<Thing> { $0.place.city == place.city && $0.place.floor == place.floor }
  }

  @Predicates static var order: [Predicate<Thing>] {
    #Predicate<Thing> { $0.big < big }
    #Predicate<Thing> { $0.big >= big }
    #Predicate<Thing> { $0.small > 199 }
    #Predicate<Thing> { $0.single < 0.1 }
    #Predicate<Thing> { $0.title < $0.place.city }
    #Predicate<Thing> { $0.made < now }
    #Predicate<Thing> { $0.made >= later }
    #Predicate<Thing> { $0.made < far }
    #Predicate<Thing> { now > $0.made }
    #Predicate<Thing> { later <= $0.made }
    #Predicate<Thing> { $0.due.flatMap { now >= $0 } == nil }
    #Predicate<Thing> { $0.due != nil && $0.due! < now }
    #Predicate<Thing> { $0.due == nil || $0.due! >= now }
    #Predicate<Thing> { $0.due != nil && $0.due! < $0.made }
    #Predicate<Thing> { !($0.due == nil || $0.due! > now) }
    #Predicate<Thing> { $0.level.rawValue < 4 }
    #Predicate<Thing> { half.contains($0.number) }
    #Predicate<Thing> { span.contains($0.weight) }
    #Predicate<Thing> { from.contains($0.number) }
    #Predicate<Thing> { upTo.contains($0.number) }
    #Predicate<Thing> { through.contains($0.number) }
    #Predicate<Thing> { times.contains($0.made) }
    #Predicate<Thing> { words.contains($0.title) }
    #Predicate<Thing> { ($0.number...($0.number + 3)).contains($0.place.floor) }
    #Predicate<Thing> { (-10..<$0.number).contains(limit) || $0.number <= -10 }
  }

  @Predicates static var arithmetic: [Predicate<Thing>] {
    #Predicate<Thing> { $0.number + 2 > 3 }
    #Predicate<Thing> { $0.place.floor != 0 && $0.number / $0.place.floor == 1 }
    #Predicate<Thing> { $0.weight / 2 == 1.5 }
    #Predicate<Thing> { 1 / $0.weight > 0 }
    #Predicate<Thing> { ($0.ratio ?? 2) / $0.weight < 0 }
    #Predicate<Thing> { 1 / (1 / $0.weight - 2) < 0 }
    #Predicate<Thing> { $0.rank! * 2 > 3 }
    #Predicate<Thing> { $0.weight * 1e300 == infinity }
  }

  @Predicates static var optionals: [Predicate<Thing>] {
    #Predicate<Thing> { ($0.due ?? now) <= now }
    #Predicate<Thing> { $0.rank.flatMap { $0 > 1 } == nil }
    #Predicate<Thing> { thing in thing.rank.flatMap { _ in thing.done } == nil }
    #Predicate<Thing> { thing in thing.rank.flatMap { rank in thing.ratio.flatMap { $0 > 0 && rank > 0 } } == nil }
    #Predicate<Thing> { thing in thing.rank.flatMap { rank in thing.flag.flatMap { $0 || rank > 0 } } != true }
    #Predicate<Thing> { thing in thing.rank.flatMap { $0 > 0 && thing.weight - thing.weight == 0 } == nil }
    #Predicate<Thing> { thing in thing.rank.flatMap { $0 > 0 ? thing.weight - thing.weight == 0 : thing.done } == false
    }
    #Predicate<Thing> { thing in thing.ratio.flatMap { $0 - $0 == 0 } == false }
    #Predicate<Thing> { if let rank = $0.rank { rank > 1 } else { $0.done } }
    #Predicate<Thing> { if let due = $0.due { due < now } else { false } }
    #Predicate<Thing> { $0.note?.isEmpty ?? false }
    #Predicate<Thing> { $0.note?.isEmpty == true }
    #Predicate<Thing> { $0.note?.contains(word) == false }
    #Predicate<Thing> { !($0.note?.starts(with: "a") ?? false) }
    #Predicate<Thing> { ($0.note?.utf8.count ?? 0) > 2 }
    #Predicate<Thing> { ($0.mark?.rawValue ?? "red") == "red" || $0.mark == nil }
    #Predicate<Thing> { thing in thing.rank.flatMap { $0 == 2 ? nil : thing.rank } == nil }
    #Predicate<Thing> { ($0.rank ?? maybe!) == limit - 1 }
  }

  @Predicates static var membership: [Predicate<Thing>] {
    #Predicate<Thing> { $0.rank.flatMap { none.contains($0) } == false }
    #Predicate<Thing> { if let rank = $0.rank { !none.contains(rank) } else { false } }
    #Predicate<Thing> { [maybe, limit].contains($0.rank) }
    #Predicate<Thing> { !([maybe].contains($0.rank)) }
    #Predicate<Thing> { texts.contains($0.title) }
    #Predicate<Thing> { texts.contains($0.note ?? "a") }
    #Predicate<Thing> { dates.contains($0.made) }
    #Predicate<Thing> { dates.contains($0.due ?? now) }
    #Predicate<Thing> { owners.contains($0.other) }
    #Predicate<Thing> { owners.contains($0.owner ?? owner) }
    #Predicate<Thing> { levels.contains($0.level) }
    #Predicate<Thing> { many.contains($0.number) }
    #Predicate<Thing> { thing in numbers.contains { $0 * 2 > thing.number && thing.done } }
    #Predicate<Thing> { thing in maybes.contains { $0 == thing.rank } }
    #Predicate<Thing> { thing in numbers.contains { one in numbers.allSatisfy { $0 + one > thing.number } } }
  }

  @Predicates static var strings: [Predicate<Thing>] {
    #Predicate<Thing> { $0.title.contains(nul) }
    #Predicate<Thing> { $0.title.contains(wild) }
    #Predicate<Thing> { $0.title.contains(quote) }
    #Predicate<Thing> { $0.title.contains($0.place.city) }
    #Predicate<Thing> { $0.title.starts(with: nul) }
    #Predicate<Thing> { $0.title.starts(with: $0.place.city) }
    #Predicate<Thing> { $0.title.isEmpty }
    #Predicate<Thing> { $0.title.utf8.count == 3 }
    #Predicate<Thing> { $0.title.utf8.isEmpty }
    #Predicate<Thing> { $0.bytes.count > 1 }
    #Predicate<Thing> { $0.bytes.isEmpty }
    #Predicate<Thing> { $0.title.utf8.count == quote.count }
    #Predicate<Thing> { $0.note! == word }
  }

  static let all: [(name: String, predicates: [Predicate<Thing>])] = [
    ("logic", logic), ("equality", equality), ("order", order), ("arithmetic", arithmetic), ("optionals", optionals),
    ("membership", membership), ("strings", strings),
  ]
}
