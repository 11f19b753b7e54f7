/// The store: decoding, writing, capture, opening, other processes' commits.
func storeBenchmarks() -> [Benchmark] { [] }
