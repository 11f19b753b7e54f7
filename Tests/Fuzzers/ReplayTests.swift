import Testing

/// The seeds of the fuzzers, and what they have found, through the same checks: a mistake that was mended stays so,
/// without a fuzzer at hand.
@Suite(.serialized) struct ReplayTests {
  @Test(arguments: Check.allCases) func whatWasFoundOnceDoesNotHappenAgain(_ check: Check) async throws {
    let inputs = try Corpus.inputs(of: check)
    #expect(!inputs.isEmpty)
    for (name, bytes) in inputs {
      await Corpus.onThreadOfItsOwn {
        #expect(throws: Never.self, "\(check)/\(name)") { try check.run(bytes) }
      }
    }
  }
}
