import Testing

/// Runs the same checks on the fuzzers' seeds and on what they have found: a fixed bug stays fixed, without a fuzzer.
@Suite(.serialized) struct ReplayTests {
  @Test(arguments: Check.allCases) func `a finding of a fuzzer does not happen again`(_ check: Check) async throws {
    let inputs = try Corpus.inputs(of: check)
    #expect(!inputs.isEmpty)
    for (name, bytes) in inputs {
      await Corpus.onThreadOfItsOwn {
        #expect(throws: Never.self, "\(check)/\(name)") { try check.run(bytes) }
      }
    }
  }
}
