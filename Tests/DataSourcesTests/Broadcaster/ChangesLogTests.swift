import Testing

@testable import DataSources

@Suite struct ChangesLogTests {
  @Test func `many small differences read as one`() {
    var log = ChangesLog()
    for number in 0..<100 { log.append(Changes(insertedItems: [ItemPath(section: 0, item: number)])) }
    #expect(log.changes == Changes(insertedItems: (0..<100).map { ItemPath(section: 0, item: $0) }))
  }

  @Test func `changes that undo each other leave nothing behind`() {
    var log = ChangesLog()
    for _ in 0..<1000 {
      log.append(Changes(insertedItems: [ItemPath(section: 0, item: 3)]))
      log.append(Changes(deletedItems: [ItemPath(section: 0, item: 3)]))
    }
    #expect(log.changes.isEmpty)
    #expect(log.size <= 4)
  }

  @Test func `nothing is no entry`() {
    var log = ChangesLog(Changes())
    log.append(Changes())
    #expect(log.size == 0)
  }
}
