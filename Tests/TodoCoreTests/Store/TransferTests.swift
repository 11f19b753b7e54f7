import Testing
import TodoCore

/// Files that were found by fuzzing: what is read is exported, and the export is known just as it is.
@Suite struct TransferTests {
  private func checkThatTheExportIsKnown(_ format: TransferFormat, _ text: String) throws {
    let test = try TestStore()
    let batch = try format.read(Array(text.utf8), at: test.clock.moment)
    _ = try test.store.importItems(batch)
    let again = try format.read(test.store.exported(as: format), at: test.clock.moment)
    #expect(try test.store.importDryRun(again).unchanged == batch.items.count)
    let other = try TestStore()
    _ = try other.store.importItems(again)
    #expect(try other.json() == test.json())
  }

  @Test func `annotations do not change the order of other fields`() throws {
    try checkThatTheExportIsKnown(
      .taskwarrior,
      #"[{"description":"a","annotations":[{"entry":"20310101T120000Z","description":"n"}],"wait":"x","own":1}]"#)
  }

  @Test func `what taskwarrior computes anew at each export changes no item`() throws {
    let test = try TestStore()
    func read(_ urgency: String, _ modified: String) throws -> ImportBatch {
      let task = #"{"uuid":"0f8fad5b-d9cb-469f-a165-70867728950e","description":"a","own":"x","status":"pending""#
      return try TransferFormat.taskwarrior.read(
        Array("[\(task),\"urgency\":\(urgency),\"modified\":\"\(modified)\"}]".utf8), at: test.clock.moment)
    }
    _ = try test.store.importItems(try read("8.58177", "20310101T120000Z"))
    #expect(try test.store.importItems(try read("8.58178", "20310102T120000Z")).unchanged == 1)
  }

  @Test func `a moment of letters that take several bytes is bad data`() throws {
    #expect(throws: TodoError.self) {
      try TransferFormat.taskwarrior.read(Array(#"[{"description":"a","entry":"éééééééé"}]"#.utf8))
    }
  }
}
