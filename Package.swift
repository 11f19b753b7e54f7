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
    .library(name: "TerminalLists", targets: ["TerminalLists"]),
    .library(name: "LiveFeeds", targets: ["LiveFeeds"]),
    // Serves feeds by HTTP, with the trait Net.
    .library(name: "FeedServer", targets: ["FeedServer"]),
    // Reads feeds over HTTP, with the trait Net.
    .library(name: "CurlTransport", targets: ["CurlTransport"]),
    // Lists in the views of Apple's systems; on Linux almost empty.
    .library(name: "AppleLists", targets: ["AppleLists"]),
    .library(name: "RowModel", targets: ["RowModel"]),
    .library(name: "SQLiteStore", targets: ["SQLiteStore"]),
    .library(name: "DataSourcesTestSupport", targets: ["DataSourcesTestSupport"]),
    // For programs that keep SQL files in a folder Migrations.
    .plugin(name: "FetchedResultsMigrations", targets: ["FetchedResultsMigrations"]),
    // The programs (todo, demo, bench) are no products: a target of a product must have a name that is free in every
    // program that uses this package. SwiftPM builds them in this package all the same.
  ],
  traits: [
    .trait(
      name: "Net",
      description:
        "FeedServer over libmicrohttpd and CurlTransport over libcurl, which must be installed with their headers.")
  ],
  targets: [
    .systemLibrary(
      name: "CFetchedResultsSQLite",
      pkgConfig: "sqlite3",
      providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]
    ),
    // What every module needs of the system: the C library, locks, clocks, the calendar.
    .target(name: "CFetchedResultsSupport"),
    .target(name: "FetchedResultsSupport", dependencies: ["CFetchedResultsSupport"], swiftSettings: strict),
    // What a row, a value and an entity are, whichever engine stores them.
    .target(name: "RowModel", dependencies: ["FetchedResultsSupport"], swiftSettings: strict),
    .target(
      name: "SQLiteStore", dependencies: ["CFetchedResultsSQLite", "FetchedResultsSupport", "RowModel"],
      swiftSettings: strict),
    .target(name: "DataSources", dependencies: ["FetchedResultsSupport"], swiftSettings: strict),
    // Lists on a terminal, and as plain text.
    .target(name: "TerminalLists", dependencies: ["DataSources"], swiftSettings: strict),
    // Lists as frames for other programs, and frames as lists.
    .target(name: "LiveFeeds", dependencies: ["DataSources", "FetchedResultsSupport"], swiftSettings: strict),
    // HTTP for feeds. It has no pkgConfig, so that SwiftPM looks for libmicrohttpd only where the trait is on.
    .systemLibrary(name: "CFetchedResultsHTTP"),
    .target(
      name: "FeedServer",
      dependencies: [
        .target(name: "CFetchedResultsHTTP", condition: .when(traits: ["Net"])), "FetchedResultsSupport", "LiveFeeds",
      ],
      swiftSettings: strict),
    // HTTP for remote lists. It has no pkgConfig, so that SwiftPM looks for libcurl only where the trait is on.
    .systemLibrary(name: "CFetchedResultsCurl"),
    .target(
      name: "CurlTransport",
      dependencies: [
        .target(name: "CFetchedResultsCurl", condition: .when(traits: ["Net"])), "FetchedResultsSupport", "LiveFeeds",
      ],
      swiftSettings: strict),
    // Requests, the controller and the evaluation of commits, for any engine.
    .target(
      name: "FetchedResultsCore", dependencies: ["DataSources", "FetchedResultsSupport", "RowModel"],
      swiftSettings: strict),
    // Lists in UIKit, AppKit and SwiftUI.
    .target(
      name: "AppleLists", dependencies: ["DataSources", "FetchedResultsCore", "FetchedResultsSupport", "RowModel"],
      swiftSettings: strict),
    // SQLite as the engine of a controller.
    .target(
      name: "SQLiteEngine",
      dependencies: [
        "CFetchedResultsSQLite", "DataSources", "FetchedResultsCore", "FetchedResultsSupport", "RowModel",
        "SQLiteStore",
      ],
      swiftSettings: strict),
    // For programs that use SQLite: one import of everything.
    .target(
      name: "FetchedResults", dependencies: ["DataSources", "FetchedResultsCore", "SQLiteEngine", "SQLiteStore"],
      swiftSettings: strict),
    // The target that needs all of Foundation. The others avoid it, because it adds milliseconds to the start of every
    // command.
    .target(
      name: "FetchedResultsFoundation", dependencies: ["FetchedResultsCore", "RowModel"], swiftSettings: strict),
    .target(
      name: "DataSourcesTestSupport", dependencies: ["DataSources", "FetchedResultsSupport"], swiftSettings: strict),
    // What every engine of a controller must do, as a suite of checks.
    .target(
      name: "EngineConformance",
      dependencies: [
        "DataSources", "DataSourcesTestSupport", "FetchedResultsCore", "FetchedResultsSupport", "RowModel",
      ],
      swiftSettings: strict),
    // Only for the bench program.
    .target(name: "CAllocatedSize"),
    .executableTarget(
      name: "bench",
      dependencies: [
        "CAllocatedSize", "CFetchedResultsSQLite", "DataSources", "FetchedResults", "FetchedResultsSupport",
        "SQLiteStore", "TerminalLists",
      ],
      path: "Sources/Benchmarks", swiftSettings: strict),
    // The figures of feeds, which bench runs as a program of its own.
    .executableTarget(
      name: "feedbench",
      dependencies: ["FeedServer", "FetchedResults", "FetchedResultsSupport", "LiveFeeds", "TodoCore"],
      path: "Sources/FeedBenchmarks", swiftSettings: strict),
    .executableTarget(
      name: "demo",
      dependencies: ["TerminalLists", "DataSources", "SQLiteStore", "FetchedResults", "FetchedResultsSupport"],
      path: "Sources/Demo",
      swiftSettings: strict),
    // A service to copy: it uses what the products offer, and nothing else.
    .executableTarget(
      name: "OrdersService", dependencies: ["FeedServer", "FetchedResults", "LiveFeeds"],
      resources: [.embedInCode("page.html"), .embedInCode("live-list.js")], swiftSettings: strict),
    // A small app to copy: its model runs anywhere, its screen is SwiftUI's.
    .executableTarget(
      name: "Bookshelf", dependencies: ["FetchedResults", "TerminalLists"],
      swiftSettings: strict),
    // The to-do program. Its schema is embedded by a small tool that SwiftPM builds and runs first. TodoCore/Migrations
    // is a link to Migrations/: SwiftPM asks a plugin again only when a file is added to or removed from a target's
    // folder.
    .target(
      name: "TodoCore",
      dependencies: ["DataSources", "FetchedResults", "FetchedResultsSupport", "SQLiteStore"],
      exclude: ["Migrations"],
      swiftSettings: strict, plugins: ["FetchedResultsMigrations"]),
    // The commands, for todo and for todo-net.
    .target(
      name: "TodoCommands",
      dependencies: [
        "TerminalLists", "TodoCore", "FetchedResults", "DataSources", "FetchedResultsSupport", "SQLiteStore",
      ],
      swiftSettings: strict),
    .executableTarget(name: "todo", dependencies: ["TodoCommands"], swiftSettings: strict),
    // The to-do program in a browser and over a network, with the trait Net: a program of its own, so that todo needs
    // no network.
    .executableTarget(
      name: "todo-net",
      dependencies: [
        "CurlTransport", "DataSources", "FeedServer", "FetchedResults", "FetchedResultsSupport", "LiveFeeds",
        "SQLiteStore",
        "TodoCommands", "TodoCore",
      ],
      resources: [
        "page.html", "locked.html", "page.css", "icon.svg", "icon.png", "manifest.webmanifest", "page.js", "api.js",
        "complete.js", "connection.js", "details.js", "drag.js", "element.js", "follow.js", "kept.js", "keys.js",
        "live-list.js", "messages.js", "moves.js", "notes.js", "rows.js", "selection.js", "service-worker.js",
        "streams.js", "words.js", "worker.js",
      ].map { .embedInCode("Page/\($0)") } + [.embedInCode("openapi.json")],
      swiftSettings: strict),
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
    // Random numbers and seeds for all random tests.
    .target(
      name: "TestSupport", dependencies: ["DataSourcesTestSupport"], path: "Tests/TestSupport", swiftSettings: strict),
    // A server of feeds and a bad network, over plain sockets.
    .target(
      name: "FeedTestSupport",
      dependencies: ["DataSources", "DataSourcesTestSupport", "FetchedResultsSupport", "LiveFeeds", "TestSupport"],
      path: "Tests/FeedTestSupport", swiftSettings: strict),
    // The blocks of Swift on the pages and in the comments, and what they take for granted.
    .executableTarget(name: "examples", path: "Tests/Examples", swiftSettings: strict),
    .target(
      name: "ExampleContext",
      dependencies: [
        "CurlTransport", "DataSources", "DataSourcesTestSupport", "FeedServer", "FetchedResults",
        "FetchedResultsFoundation",
        "LiveFeeds", "TerminalLists",
      ],
      path: "Tests/ExampleContext", swiftSettings: strict),
    .testTarget(
      name: "ExampleTests", dependencies: ["Bookshelf", "ExampleContext", "FetchedResults", "examples"],
      swiftSettings: strict),
    // A file system that fails and loses power on command, and a program to be killed.
    .target(name: "FaultVFS", dependencies: ["CFetchedResultsSQLite"], path: "Tests/FaultVFS"),
    .target(
      name: "TrustSupport", dependencies: ["SQLiteStore"], path: "Tests/TrustSupport",
      swiftSettings: strict),
    .executableTarget(
      name: "TrustWorker",
      dependencies: ["FetchedResultsSupport", "FixtureSupport", "SQLiteStore", "TodoCore", "TrustSupport"],
      path: "Tests/TrustWorker",
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
        "SQLiteStore", "TestSupport", "TodoCore", "TrustSupport", "TrustWorker", "todo",
      ],
      swiftSettings: strict),
    .testTarget(
      name: "FixtureTests", dependencies: ["CFetchedResultsSQLite", "FixtureSupport"],
      swiftSettings: strict),
    .testTarget(
      name: "TodoCoreTests",
      dependencies: [
        "DataSources", "DataSourcesTestSupport", "FetchedResults", "FetchedResultsMigrationTool",
        "FetchedResultsSupport", "FixtureSupport", "SQLiteStore", "TerminalLists", "TestSupport", "TodoCore",
      ],
      swiftSettings: strict
    ),
    // The built program, as another process and on a terminal of its own; the dependency makes SwiftPM build it first.
    .testTarget(
      name: "TodoTests",
      dependencies: [
        "DataSources", "DataSourcesTestSupport", "FetchedResultsSupport", "FixtureSupport", "TerminalLists",
        "TestSupport", "TodoCommands", "TodoCore", "todo",
      ],
      swiftSettings: strict
    ),
    .testTarget(name: "RowModelTests", dependencies: ["RowModel"], swiftSettings: strict),
    .testTarget(
      name: "SQLiteStoreTests",
      dependencies: [
        "DataSourcesTestSupport", "TestSupport", "FetchedResultsSupport", "CFetchedResultsSQLite", "FixtureSupport",
        "SQLiteStore", "TodoCore",
      ],
      swiftSettings: strict
    ),
    .testTarget(
      name: "DataSourcesTests",
      dependencies: ["TerminalLists", "TestSupport", "FetchedResultsSupport", "DataSources", "DataSourcesTestSupport"],
      swiftSettings: strict
    ),
    .testTarget(
      name: "LiveFeedsTests",
      dependencies: [
        "DataSources", "DataSourcesTestSupport", "FeedTestSupport", "FetchedResultsSupport", "LiveFeeds", "TestSupport",
      ],
      swiftSettings: strict
    ),
    .testTarget(
      name: "CurlTransportTests",
      dependencies: [
        "CurlTransport", "DataSources", "DataSourcesTestSupport", "FeedTestSupport", "FetchedResultsSupport",
        "LiveFeeds", "TestSupport",
      ],
      swiftSettings: strict
    ),
    // With the trait Net, and what Scripts/test-net installs; empty without it.
    .testTarget(
      name: "NetTests",
      dependencies: [
        "CurlTransport", "DataSources", "DataSourcesTestSupport", "FeedServer", "FeedTestSupport",
        "FetchedResultsSupport",
        "LiveFeeds", "OrdersService", "SQLiteStore", "TestSupport", "TodoCommands", "todo", "todo-net",
      ],
      exclude: ["Clients"], swiftSettings: strict),
    // What of AppleLists is the same on every system. The rest is compiled by ExampleTests.
    .testTarget(
      name: "AppleListsTests",
      dependencies: ["AppleLists", "DataSources", "DataSourcesTestSupport", "FetchedResults", "TestSupport"],
      swiftSettings: strict),
    // The controller over an engine in memory: neither needs a store.
    .testTarget(
      name: "FetchedResultsCoreTests",
      dependencies: [
        "DataSources", "DataSourcesTestSupport", "EngineConformance", "FetchedResultsCore", "FetchedResultsSupport",
        "RowModel", "TestSupport",
      ],
      swiftSettings: strict
    ),
    .testTarget(
      name: "FetchedResultsTests",
      dependencies: [
        "CFetchedResultsSQLite", "DataSourcesTestSupport", "EngineConformance", "FetchedResults", "FetchedResultsCore",
        "FetchedResultsFoundation", "FetchedResultsSupport", "FixtureSupport", "SQLiteEngine", "TestSupport",
      ],
      swiftSettings: strict
    ),
  ]
)

// The fuzzers are a package of their own, which can use products only. It also checks what reads the to-do program's
// files; for anybody else that is no product.
if Context.environment["FETCHEDRESULTS_FUZZERS"] != nil {
  package.products.append(.library(name: "TodoCore", targets: ["TodoCore"]))
}

// Scripts/release-flags asks for programs that need nothing of the system, so that they start in a millisecond.
if Context.environment["FETCHEDRESULTS_STATIC"] != nil {
  for target in package.targets where ["bench", "todo"].contains(target.name) {
    target.linkerSettings = [.unsafeFlags(["-static-executable"])]
  }
}

// Scripts/test --filter names the suites in which a test is found: only they and what they need are built.
if let suites = Context.environment["FETCHEDRESULTS_SUITES"] {
  var needed: Set<String> = []
  var named = Set(suites.split(separator: " ").map(String.init))
  while !named.isSubset(of: needed) {
    needed.formUnion(named)
    let targets = package.targets.filter { named.contains($0.name) }
    named = []
    for dependency in targets.flatMap(\.dependencies) {
      if case .byNameItem(let name, _) = dependency { named.insert(name) }
      if case .targetItem(let name, _) = dependency { named.insert(name) }
    }
    for case .plugin(let name, _) in targets.flatMap({ $0.plugins ?? [] }) { named.insert(name) }
  }
  package.products = []
  package.targets.removeAll { !needed.contains($0.name) }
}
