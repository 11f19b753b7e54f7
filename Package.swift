// swift-tools-version: 6.2
import PackageDescription

/// The settings of every Swift target: the Swift 6 language mode (implied by the tools version) and stricter upcoming
/// features.
let strict: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

let package = Package(
  name: "FetchedResults",
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: [
    .library(name: "FetchedResults", targets: ["FetchedResults"]),
    .library(name: "FetchedResultsFoundation", targets: ["FetchedResultsFoundation"]),
    .library(name: "DataSources", targets: ["DataSources"]),
    .library(name: "SQLiteStore", targets: ["SQLiteStore"]),
    .library(name: "DataSourcesTestSupport", targets: ["DataSourcesTestSupport"]),
    // For programs that keep SQL files in a folder Migrations.
    .plugin(name: "FetchedResultsMigrations", targets: ["FetchedResultsMigrations"]),
    // The programs (todo, demo, bench) are no products: a target of a product must have a name that is free in every
    // program that uses this package. SwiftPM builds them in this package all the same.
  ],
  targets: [
    .systemLibrary(
      name: "CFetchedResultsSQLite",
      pkgConfig: "sqlite3",
      providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]
    ),
    .target(name: "SQLiteStore", dependencies: ["CFetchedResultsSQLite"], swiftSettings: strict),
    .target(name: "DataSources", swiftSettings: strict),
    .target(
      name: "FetchedResults", dependencies: ["CFetchedResultsSQLite", "SQLiteStore", "DataSources"],
      swiftSettings: strict),
    // The target that needs all of Foundation. The others avoid it, because it adds milliseconds to the start of every
    // command.
    .target(name: "FetchedResultsFoundation", dependencies: ["FetchedResults"], swiftSettings: strict),
    .target(name: "DataSourcesTestSupport", dependencies: ["DataSources"], swiftSettings: strict),
    .executableTarget(
      name: "bench", dependencies: ["CFetchedResultsSQLite", "SQLiteStore", "DataSources", "FetchedResults"],
      path: "Sources/Benchmarks", swiftSettings: strict),
    .executableTarget(
      name: "demo", dependencies: ["DataSources", "SQLiteStore", "FetchedResults"], path: "Sources/Demo",
      swiftSettings: strict),
    // The to-do program. Its schema is embedded by a small tool that SwiftPM builds and runs first. TodoCore/Migrations
    // is a link to Migrations/: SwiftPM asks a plugin again only when a file is added to or removed from a target's
    // folder.
    .target(
      name: "TodoCore", dependencies: ["DataSources", "SQLiteStore", "FetchedResults"], exclude: ["Migrations"],
      swiftSettings: strict, plugins: ["FetchedResultsMigrations"]),
    .executableTarget(
      name: "todo", dependencies: ["TodoCore", "FetchedResults", "DataSources", "SQLiteStore"], swiftSettings: strict),
    .executableTarget(name: "FetchedResultsMigrationTool", swiftSettings: strict),
    .plugin(
      name: "FetchedResultsMigrations",
      capability: .buildTool(),
      dependencies: ["FetchedResultsMigrationTool"],
      path: "Sources/FetchedResultsMigrations"
    ),
    // Code that tests share; no product.
    .target(
      name: "FixtureSupport", dependencies: ["CFetchedResultsSQLite"], path: "Tests/FixtureSupport",
      swiftSettings: strict),
    // A file system that fails and loses power on command, and a program to be killed.
    .target(name: "FaultVFS", dependencies: ["CFetchedResultsSQLite"], path: "Tests/FaultVFS"),
    .target(name: "TrustSupport", dependencies: ["SQLiteStore"], path: "Tests/TrustSupport", swiftSettings: strict),
    .executableTarget(
      name: "TrustWorker", dependencies: ["SQLiteStore", "TodoCore", "TrustSupport"], path: "Tests/TrustWorker",
      swiftSettings: strict),
    // The checks of the fuzzers on the inputs that are kept; the fuzzers themselves are a package of their own.
    .testTarget(
      name: "FuzzerTests",
      dependencies: [
        "CFetchedResultsSQLite", "DataSources", "DataSourcesTestSupport", "FetchedResults", "SQLiteStore", "TodoCore",
      ],
      path: "Tests/Fuzzers", exclude: ["Corpus", "Dictionaries", "Package.swift", "Sources/Fuzz", "run"],
      swiftSettings: strict),
    .testTarget(
      name: "TrustTests",
      dependencies: [
        "CFetchedResultsSQLite", "DataSourcesTestSupport", "FaultVFS", "FetchedResults", "FixtureSupport",
        "SQLiteStore", "TodoCore",
        "TrustSupport", "TrustWorker", "todo",
      ],
      swiftSettings: strict),
    .testTarget(
      name: "FixtureTests", dependencies: ["CFetchedResultsSQLite", "FixtureSupport"], swiftSettings: strict),
    .testTarget(
      name: "TodoCoreTests",
      dependencies: [
        "CFetchedResultsSQLite", "DataSources", "FetchedResultsMigrationTool", "FetchedResults", "FixtureSupport",
        "SQLiteStore", "TodoCore",
      ],
      swiftSettings: strict
    ),
    // The built program, as another process and on a terminal of its own; the dependency makes SwiftPM build it first.
    .testTarget(
      name: "TodoTests",
      dependencies: ["DataSources", "FixtureSupport", "SQLiteStore", "TodoCore", "todo"],
      swiftSettings: strict
    ),
    .testTarget(
      name: "SQLiteStoreTests",
      dependencies: ["CFetchedResultsSQLite", "FixtureSupport", "SQLiteStore", "TodoCore"],
      swiftSettings: strict
    ),
    .testTarget(
      name: "DataSourcesTests",
      dependencies: ["DataSources", "DataSourcesTestSupport"],
      swiftSettings: strict
    ),
    .testTarget(
      name: "FetchedResultsTests",
      dependencies: [
        "CFetchedResultsSQLite", "FetchedResults", "FetchedResultsFoundation", "DataSourcesTestSupport",
        "FixtureSupport",
      ],
      swiftSettings: strict
    ),
  ]
)
