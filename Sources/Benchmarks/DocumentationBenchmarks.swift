import FetchedResultsSupport

/// The documentation: how much of it isn't checked.
func documentationBenchmarks() -> [Benchmark] {
  [
    Benchmark("docs.uncompiled_blocks", "blocks of Swift in README, docs/ and public comments that don't compile") {
      _ in
      let output = try Todo.run([".", "--count"], program: Todo.sibling("examples")).output
      let text = String(decoding: output, as: UTF8.self)
      guard let count = Double(text.prefix { $0 != "\n" }) else { throw WrongResult("examples printed \(text)") }
      return Figure(value: count, unit: "blocks")
    }
  ]
}
