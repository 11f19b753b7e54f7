import FixtureSupport
import Testing
import TodoCore

/// Recurrences and waits in files.
@Suite struct RhythmFormatTests {
  @Test(arguments: [
    ("week", "every:week", "weekly"), ("2weeks", "rec:+2w", "biweekly"), ("10days", "rec:+10d", "10days"),
    ("quarter", "rec:+3m", "quarterly"), ("weekday", "rec:+1b", "weekdays"), ("3days-after-done", "rec:3d", nil),
    ("mon,thu", "every:mon,thu", nil), ("month-end", "every:month-end", nil),
  ])
  func `a recurrence is written as each format says it, and read again`(
    every: String, todotxt: String, recur: String?
  ) throws {
    let test = try TestStore()
    try test.add(arguments: "A", "due:2031-01-31", "every:\(every)", "wait:2031-01-10")
    for (format, text) in [
      (TransferFormat.json, "\"every\":\"\(every)\""), (.markdown, "every:\(every) wait:2031-01-10"),
      (.csv, ",2031-01-10"), (.todotxt, "\(todotxt) t:2031-01-10"), (.taskwarrior, "\"wait\":\"20310110T000000Z\""),
    ] {
      var writer = format.writer(at: test.store.moment)
      var bytes = try writer.begin(ExportHead())
      bytes += try writer.write(test.store.item(1), previous: nil)
      bytes += try writer.end()
      let file = String(decoding: bytes, as: UTF8.self)
      #expect(file.contains(text), "\(file)")
      let item = try #require(format.read(bytes, at: test.store.moment).items.first)
      #expect(item.wait == Due(iso: "2031-01-10"), "\(file)")
      let isHeld = format != .taskwarrior || recur != nil
      #expect(item.every == (isHeld ? Recurrence(every) : nil), "\(file)")
      #expect(writer.loss.sentence(about: format)?.contains("recurrences") == (isHeld ? nil : true), "\(file)")
      if format == .taskwarrior {
        #expect(file.contains("\"status\":\"waiting\"") && recur.map { file.contains("\"recur\":\"\($0)\"") } != false)
      }
    }
  }

  @Test func `what taskwarrior waits for is hidden here too, and comes back as it was`() throws {
    let test = try TestStore()
    let fields = "\"uuid\":\"0f8fad5b-d9cb-469f-a165-70867728950e\",\"description\":\"a\""
    func read(_ more: String) throws -> ImportBatch {
      try TransferFormat.taskwarrior.read(Array("[{\(fields),\(more)}]".utf8), at: test.store.moment)
    }
    _ = try test.store.importItems(read("\"status\":\"waiting\",\"wait\":\"20310105T120000Z\""))
    #expect(try test.list() == [] && test.store.item(1).wait == Due(iso: "2031-01-05T12:00:00Z"))
    #expect(try test.store.item(1).extra == nil)
    let exported = try test.exported(as: .taskwarrior)
    #expect(exported.contains("\"status\":\"waiting\"") && exported.contains("\"wait\":\"20310105T120000Z\""))
    test.clock.set("2031-01-06T00:00:00Z")
    #expect(try test.list() == ["Inbox: a"])
    #expect(try test.exported(as: .taskwarrior).contains("\"status\":\"pending\""))
    // One that an earlier version has imported.
    let raw = try RawDatabase(path: test.path)
    try raw.execute(
      "UPDATE item SET wait = NULL, extra = '{\"wait\":\"20310107T120000Z\",\"status\":\"waiting\"}'")
    #expect(try test.exported(as: .taskwarrior).contains("\"wait\":\"20310107T120000Z\""))
    // What is no date stays another program's field.
    #expect(try read("\"status\":\"waiting\",\"wait\":\"some day\"").items[0].extra["wait"] == "some day")
  }
}
