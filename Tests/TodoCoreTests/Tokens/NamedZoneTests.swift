import DataSourcesTestSupport
import Foundation
import TestSupport
import Testing
import TodoCore

/// Zones that are read from the files of the time zone database, compared with Foundation's.
@Suite struct NamedZoneTests {
  @Test func `the offsets of every zone are those of Foundation`() throws {
    var random = SeededGenerator(seed: 17)
    var compared = 0
    var differing: [String] = []
    for name in TimeZone.knownTimeZoneIdentifiers {
      guard let zone = NamedZone(name: name), let other = TimeZone(identifier: name) else { continue }
      compared += 1
      // The data before 1970 differs between editions of the database.
      for _ in 0..<10 {
        let seconds = Int64.random(in: 0...4_000_000_000, using: &random)
        let own = LocalZone.named(zone).offset(at: Instant(seconds: seconds))
        let date = Date(timeIntervalSince1970: Double(seconds))
        if own != other.secondsFromGMT(for: date) { differing.append("\(name) at \(date)") }
      }
    }
    #expect(compared > 300)
    #expect(differing == [])
  }

  @Test func `the moments of offset changes are exact`() throws {
    let zone = try LocalZone.named(#require(NamedZone(name: "Europe/Berlin")))
    // The last one is beyond what the files list, and follows from their rule.
    for (moment, before, after) in [
      ("2031-03-30T01:00:00Z", 3600, 7200), ("2031-10-26T01:00:00Z", 7200, 3600), ("2090-03-26T01:00:00Z", 3600, 7200),
    ] {
      let instant = try #require(Instant(iso: moment))
      #expect(zone.offset(at: instant.adding(seconds: -1)) == before && zone.offset(at: instant) == after)
    }
    let time = try #require(WallTime(iso: "2031-03-30T02:30:00"))
    #expect(zone.instant(of: time).description == "2031-03-30T01:30:00Z")
  }
}
