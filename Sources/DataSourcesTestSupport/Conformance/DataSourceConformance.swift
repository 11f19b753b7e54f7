public import DataSources

/// A test suite with the laws of data sources, for any source. The source shows the sample, is changed at random, and
/// is watched by readers of all kinds.
///
/// ```swift
/// let suite = DataSourceConformance(
///   making: { SectionController($0) },
///   changing: { source, list in source.replace(with: list) },
///   reading: { $0 })
/// #expect(try await suite.violations(seed: 1) == [])
/// ```
///
/// Items of other types are converted to the sample's: an id, a title and whether it is done. The suite checks:
///
/// - The list is always the one that the source was last changed to, and reading a place that doesn't exist gives nil.
/// - A reader exists from the call on. It doesn't receive the list itself, but every change, or the sum of those it
///   missed; never an empty one. Its updates keep all laws: replay, chain, frugal, acceptable, round trip.
/// - At most one update waits for a reader that stalls. A reader that ends, or never starts, doesn't affect the others.
/// - ``DataSources/DataSourceProtocol/follow()`` starts from its snapshot.
/// - Everything that a reader can query when it receives an update is as new as the update.
/// - A snapshot never changes. A failed change changes nothing and publishes nothing.
/// - Readers do not keep the source alive, and end with it.
public struct DataSourceConformance<Source: DataSourceProtocol>: Sendable {
  /// Creates a source that shows a list.
  public typealias Make = @Sendable (_ list: Snapshot<Errand>) async throws -> Source
  /// Makes a source show another list. When it returns, the source shows it, and has notified its readers.
  public typealias Change = @Sendable (_ source: Source, _ list: Snapshot<Errand>) async throws -> Void

  let make: Make
  let change: Change
  let read: @Sendable (Source.Item) -> Errand
  let fail: (@Sendable (Source) async -> Void)?
  let ask: (@Sendable (Source) -> [Snapshot<Errand>])?
  let shapes: ErrandsAndCareer.Shapes
  let patience: Duration

  /// Creates a suite for a source.
  ///
  /// - Parameters:
  ///   - make: Creates a source that shows a list.
  ///   - change: Makes a source show another list, in any way.
  ///   - read: Converts an item of the source to one of the sample.
  ///   - fail: Tries to change a source in a way that fails; nil if there is no such way.
  ///   - ask: Other ways to read the source's list, besides its snapshot: each result as a list.
  ///   - shapes: Which lists the source can show; by default, all.
  ///   - patience: How long to wait for a reader that should receive an update.
  public init(
    making make: @escaping Make,
    changing change: @escaping Change,
    reading read: @escaping @Sendable (Source.Item) -> Errand,
    failing fail: (@Sendable (Source) async -> Void)? = nil,
    asking ask: (@Sendable (Source) -> [Snapshot<Errand>])? = nil,
    within shapes: ErrandsAndCareer.Shapes = .all,
    patience: Duration = .seconds(10)
  ) {
    self.make = make
    self.change = change
    self.read = read
    self.fail = fail
    self.ask = ask
    self.shapes = shapes
    self.patience = patience
  }

  /// Runs the suite, and returns the violations; empty otherwise.
  ///
  /// - Parameters:
  ///   - seed: The seed of the changes.
  ///   - steps: The number of changes.
  public func violations(seed: UInt64, steps: Int = 30) async throws -> [Violation] {
    var violations = try await reading(seed: seed, steps: steps)
    violations += try await stalling(seed: seed, steps: steps)
    violations += try await freshness(seed: seed, steps: steps)
    violations += try await leaving()
    violations += try await failing()
    violations += try await ending()
    return violations
  }

  /// The list that a source starts with.
  var start: Snapshot<Errand> {
    if shapes.contains(.anyNumberOfSections) { return ErrandsAndCareer.list }
    return Snapshot([Section(id: "Errands", name: "Errands", items: ErrandsAndCareer.list[0].items)])
  }

  /// The list in terms of the sample: names and rows.
  func contents(_ snapshot: Snapshot<Source.Item>) -> [SampleSection] {
    snapshot.map { SampleSection(name: $0.name, rows: $0.items.map(read)) }
  }

  func laws(_ update: Update<Source.Item>) -> [Violation] {
    var violations = Laws.violations(of: update, identifiedBy: { read($0).id }, by: { read($0) == read($1) })
    if update.changes.isEmpty { violations.append(Violation(.frugal, "an empty update is told")) }
    return violations
  }
}

/// A section of the sample, for comparisons.
struct SampleSection: Equatable, Sendable {
  let name: String
  let rows: [Errand]

  init(name: String, rows: [Errand]) {
    self.name = name
    self.rows = rows
  }

  init(_ section: Section<Errand>) { self.init(name: section.name, rows: Array(section.items)) }
}
