/// Lists for readers in other processes. `Scripts/bench` builds the program that measures them where libmicrohttpd is
/// installed; elsewhere these figures are left out.
func feedBenchmarks() -> [Benchmark] {
  guard let program = try? Todo.sibling("feedbench") else { return [] }
  func figure(_ name: String, _ about: String, _ figure: @escaping (Double) -> Figure) -> Benchmark {
    Benchmark(name, about) { _ in
      let text = try Todo.run([name], program: program).text
      guard let value = Double(text.filter { !$0.isWhitespace }) else { throw WrongResult("it has printed '\(text)'") }
      return figure(value)
    }
  }
  return [
    figure("feed.latency_ms_p50", "another process commits, until 100 readers have the line") { .milliseconds($0) },
    figure("feed.latency_ms_p99", "the same, the slowest of 100 commits") { .milliseconds($0) },
    figure("feed.latency_ms_p99_1000", "the same with 1,000 readers") { .milliseconds($0) },
    figure("feed.kb_per_reader", "resident memory for each of 5,000 readers, half of them stalled, in KB") {
      Figure(value: $0, unit: "KB")
    },
    figure(
      "feed.write_ratio", "processor time of the thread that makes 1,000 writes with 1,000 readers, against none"
    ) {
      .ratio($0)
    },
    figure(
      "feed.snapshot_vs_json_100k", "100,000 rows to a new reader that is not the first, against JSONEncoder"
    ) {
      .ratio($0)
    },
    figure("feed.first_snapshot_vs_json_100k", "the same to the first reader, for whom the rows are encoded") {
      .ratio($0)
    },
    figure(
      "serve.rest_p99_ms", "200 reads and writes a second of todo serve by 20 clients, 100,000 items: 99th percentile"
    ) {
      .milliseconds($0)
    },
  ]
}
