// The `bench` program: every figure that the README and the issues name, measured in this run on this machine.
//
//   bench [--json] [--only PREFIX] [--rounds N] [--list]

let benchmarks: [Benchmark] = storeBenchmarks() + listBenchmarks()

do {
  let options = try BenchOptions(arguments: Array(CommandLine.arguments.dropFirst()))
  try Bench(options: options).run(benchmarks)
} catch {
  Output.standardError("bench: \(error)\n")
  Output.exit(1)
}
