// What `bench` runs for the figures `feed.…` and `serve.…`: a program of its own, because libmicrohttpd can't be
// linked statically.
//
//   feedbench FIGURE              measures one, and prints its value
//   feedbench --latency …         what that starts as its other process; so are --readers and --snapshot

import FetchedResultsSupport
import Foundation

do {
  let arguments = Array(CommandLine.arguments.dropFirst())
  switch arguments.first {
  case "--latency": try measureLatency(arguments[1], port: UInt16(arguments[2]) ?? 0, readers: Int(arguments[3]) ?? 0)
  case "--readers":
    try stayConnected(port: UInt16(arguments[1]) ?? 0, Int(arguments[2]) ?? 0, arguments[3] == "stalled")
  case "--snapshot": try readSnapshot(port: UInt16(arguments[1]) ?? 0)
  case "feed.latency_ms_p50": print(try await latency(readers: 100)[0])
  case "feed.latency_ms_p99": print(try await latency(readers: 100)[1])
  case "feed.latency_ms_p99_1000": print(try await latency(readers: 1000)[1])
  case "feed.kb_per_reader": print(try await kilobytesPerReader())
  case "feed.write_ratio": print(try await writeRatio())
  case "feed.snapshot_vs_json_100k": print(try await snapshotRatio()[1])
  case "feed.first_snapshot_vs_json_100k": print(try await snapshotRatio()[0])
  case "serve.rest_p99_ms": print(try await restLatency())
  default: throw Failure("no such figure")
  }
} catch {
  FileHandle.standardError.write(Data("feedbench: \(error)\n".utf8))
  exit(1)
}

struct Failure: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}
