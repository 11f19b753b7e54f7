/// The lists: values and differences.
func listBenchmarks() -> [Benchmark] { [] }
