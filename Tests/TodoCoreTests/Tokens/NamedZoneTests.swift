import Foundation
import Testing
import TodoCore

/// Zones that are read from the files of the time zone database, compared with what `zdump` says of the same files.
///
/// Foundation may bring an edition of the database of its own.
@Suite struct NamedZoneTests {
  /// Summer time of an hour, of half an hour, below the zone's own time (Dublin), and by a moving month (Casablanca,
  /// Gaza); zones that have changed their day (Apia), or their summer time, or have none. All take `zdump` a minute.
  private static let zones = [
    "Africa/Cairo", "Africa/Casablanca", "America/New_York", "America/Nuuk", "America/Sao_Paulo", "Asia/Gaza",
    "Asia/Kathmandu", "Asia/Tokyo", "Australia/Lord_Howe", "Europe/Berlin", "Europe/Dublin", "Pacific/Apia",
  ].compactMap { NamedZone(name: $0) }

  @Test(
    .enabled(
      if: zdump != nil && !zones.isEmpty, "needs zdump, and time zones in /usr/share/zoneinfo or a similar folder"))
  func `the offset of a zone changes when zdump says so`() throws {
    let zones = Dictionary(uniqueKeysWithValues: Self.zones.map { ($0.name, LocalZone.named($0)) })
    var compared = 0
    var differing: [String] = []
    for line in try Self.changes(of: zones.keys.sorted()) {
      let words = line.split(separator: " ")
      // Europe/Berlin  Sun Mar 29 01:00:00 2026 UT = Sun Mar 29 03:00:00 2026 CEST isdst=1 gmtoff=7200
      guard words.count == 16, let offset = Int(words[15].dropFirst("gmtoff=".count)) else { continue }
      let month = try #require(Self.months.firstIndex(of: String(words[2]))) + 1
      let day = try #require(Int(words[3]))
      let moment = "\(words[5])-\(month < 10 ? "0" : "")\(month)-\(day < 10 ? "0" : "")\(day)T\(words[4])Z"
      let instant = try #require(Instant(iso: moment))
      compared += 1
      if zones[String(words[0])]?.offset(at: instant) != offset { differing.append("\(words[0]) at \(moment)") }
    }
    // Each zone with summer time has four lines a year.
    #expect(compared > 1_000)
    #expect(differing == [])
  }

  private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
  private static let zdump = ["/usr/bin/zdump", "/usr/sbin/zdump"].first(where: FileManager.default.isExecutableFile)

  /// The last second before each change of an offset and the first one after it, from 1970 to 2049.
  private static func changes(of names: [String]) throws -> [Substring] {
    let process = Process()
    process.executableURL = URL(filePath: try #require(zdump))
    process.arguments = ["-v", "-c", "1970,2050"] + names
    process.environment = ["LC_ALL": "C"]
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let bytes = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return String(decoding: bytes, as: UTF8.self).split(separator: "\n")
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
