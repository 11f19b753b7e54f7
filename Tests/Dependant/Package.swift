// swift-tools-version: 6.2
import PackageDescription

// A package that depends on this one, as a stranger's would. It has targets of its own with the names that other
// packages and programs use, and which no target of ours that it can reach may have.
let taken = ["Benchmarks", "CSQLite", "EmbedMigrations", "MigrationEmbedder", "TodoCore", "bench", "demo", "todo"]

let package = Package(
  name: "Dependant",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "FetchedResults", path: "../..")],
  targets: taken.map { .target(name: $0, path: "Sources/taken/\($0)") } + [
    .executableTarget(
      name: "app",
      dependencies: [.product(name: "FetchedResults", package: "FetchedResults")] + taken.map { .target(name: $0) },
      plugins: [.plugin(name: "FetchedResultsMigrations", package: "FetchedResults")])
  ])
