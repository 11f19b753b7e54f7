import Testing
import TodoCore

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The zone of the environment: the only test that depends on it, and sets it. All others have zones of their own.
@Suite struct SystemZoneTests {
  @Test func `clocks that leap are read right`() {
    setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3", 1)
    tzset()
    let zone = LocalZone.system
    func instant(_ text: String) -> String { zone.instant(of: WallTime(iso: text)!).description }
    #expect(instant("2031-01-15T12:00") == "2031-01-15T11:00:00Z")
    #expect(instant("2031-07-15T12:00") == "2031-07-15T10:00:00Z")
    // On 30 March 2031 the clocks leap from two to three, and on 26 October they show two to three twice.
    #expect(instant("2031-03-30T01:59") == "2031-03-30T00:59:00Z")
    #expect(instant("2031-03-30T02:30") == "2031-03-30T01:30:00Z")
    #expect(instant("2031-03-30T03:00") == "2031-03-30T01:00:00Z")
    #expect(instant("2031-10-26T02:30") == "2031-10-26T00:30:00Z")
    #expect(instant("2031-10-26T03:00") == "2031-10-26T02:00:00Z")
    #expect(zone.day(of: Instant(iso: "2031-07-15T22:30:00Z")!).description == "2031-07-16")
    #expect(zone.wallTime(at: Instant(iso: "2031-01-15T23:30:15Z")!).description == "2031-01-16T00:30:15")
    #expect(zone.start(of: CalendarDay(iso: "2031-03-31")!).description == "2031-03-30T22:00:00Z")
  }
}
