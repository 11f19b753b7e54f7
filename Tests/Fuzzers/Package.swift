// swift-tools-version: 6.2
import PackageDescription

/// A package of its own, so that what fuzzing needs stays out of all other builds. `Tests/Fuzzers/run` builds it. The
/// checks that it runs are in Sources/Checks; the tests of the main package run them on Corpus too.
let package = Package(
  name: "Fuzzers",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "FetchedResults", path: "../..")],
  targets: [
    .executableTarget(
      name: "Fuzz",
      dependencies: [
        .product(name: "FetchedResults", package: "FetchedResults"),
        .product(name: "DataSourcesTestSupport", package: "FetchedResults"),
        .product(name: "TodoCore", package: "FetchedResults"),
      ],
      path: "Sources",
      swiftSettings: [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
      ])
  ]
)
