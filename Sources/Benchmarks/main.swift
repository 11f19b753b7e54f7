// The `bench` program: every figure that the README and the issues name, measured in this run on this machine.
//
//   bench [--json] [--only PREFIX] [--rounds N] [--list]

let benchmarks: [Benchmark] =
  storeBenchmarks() + listBenchmarks() + listGrowthBenchmarks() + controllerBenchmarks() + cliffBenchmarks()
  + waitingBenchmarks() + predicateBenchmarks() + todoBenchmarks() + feedBenchmarks()
  + serveBenchmarks() + documentationBenchmarks()

do {
  let arguments = CommandLine.arguments
  if arguments.count == 4, arguments[1] == "--external-writer", let count = Int(arguments[3]) {
    try writeExternally(path: arguments[2], count: count)  // what a benchmark starts as its other process
    Output.exit(0)
  }
  if arguments.count > 2, arguments[1] == "--peak-memory" {
    try printPeakMemory(of: arguments[2], Array(arguments.dropFirst(3)))
    Output.exit(0)
  }
  if arguments.count == 3, arguments[1] == "--memory-after-large-text" {
    try printMemoryAfterLargeText(arguments[2])
    Output.exit(0)
  }
  let options = try BenchOptions(arguments: Array(CommandLine.arguments.dropFirst()))
  try Bench(options: options).run(benchmarks)
} catch {
  Output.standardError("bench: \(error)\n")
  Output.exit(1)
}
