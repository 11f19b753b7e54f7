import SQLiteStore
import Testing

/// A caller's mistake stops the program, and says what it was.
@Suite struct RefusalTests {
  static func refuses(_ message: String, _ result: ExitTest.Result?) -> Bool {
    result.map { String(decoding: $0.standardErrorContent, as: UTF8.self).contains(message) } ?? false
  }

  @Test func `a row with more columns than values`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = Row(columns: ["id", "title"], values: [.integer(1)])
    }
    #expect(Self.refuses("2 columns, but 1 values", result))
  }

  @Test func `a history that keeps no entry`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try Database.inMemory().recordHistory(of: ["t"], keeping: 0)
    }
    #expect(Self.refuses("a history must keep at least one entry", result))
  }
}
