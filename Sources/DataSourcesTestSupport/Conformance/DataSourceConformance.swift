public import DataSources

/// The laws of data sources as one suite that any source can be put through: it is made with the sample, changed at random, and
/// watched by readers of all kinds.
///
/// ```swift
/// let suite = DataSourceConformance(
///   making: { SectionController($0) },
///   changing: { source, list in source.replace(with: list) },
///   reading: { $0 })
/// #expect(try await suite.violations(seed: 1) == [])
/// ```
///
/// A source of another item is read as the sample's: by its id, its title and whether it is done. What is checked:
///
/// - The list is always the one that the source was last changed to, and reading a place that is not there gives nil.
/// - A reader exists from the call, is not told the list itself, and is told every change, or the sum of those it missed; never an
///   empty one. What it is told keeps all laws: replay, chain, frugal, acceptable, round trip.
/// - At most one update waits for a reader that stalls. One that ends, or never begins, leaves the others alone.
/// - ``DataSources/DataSourceProtocol/follow()`` begins where its snapshot is.
/// - Whatever a reader can ask when it receives an update is as new as the update.
/// - A snapshot once taken never changes. What fails changes nothing and tells nothing.
/// - Readers do not keep the source alive, and end with it.
public struct DataSourceConformance<Source: DataSourceProtocol>: Sendable {
  /// Makes a source that shows a list.
  public typealias Make = @Sendable (_ list: Snapshot<Errand>) async throws -> Source
  /// Makes a source show another list. When it returns, the source shows it, and has told its readers.
  public typealias Change = @Sendable (_ source: Source, _ list: Snapshot<Errand>) async throws -> Void

  let make: Make
  let change: Change
  let read: @Sendable (Source.Item) -> Errand
  let fail: (@Sendable (Source) async -> Void)?
  let ask: (@Sendable (Source) -> [Snapshot<Errand>])?
  let shapes: ErrandsAndCareer.Shapes
  let patience: Duration

  /// Makes a suite for a source.
  ///
  /// - Parameters:
  ///   - make: Makes a source that shows a list.
  ///   - change: Makes a source show another list, by whatever it takes.
  ///   - read: What an item of the source is in the sample.
  ///   - fail: Tries to change a source in a way that fails, if there is one.
  ///   - ask: Other ways to ask the source for its list, besides its snapshot: each answer as a list.
  ///   - shapes: What lists the source can show; unless given, all.
  ///   - patience: How long to wait for a reader that should be told something.
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

  /// What is broken, nothing when all is well.
  ///
  /// - Parameters:
  ///   - seed: What the changes follow from.
  ///   - steps: How many changes there are.
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

  /// The list as the sample: names and rows.
  func contents(_ snapshot: Snapshot<Source.Item>) -> [SampleSection] {
    snapshot.map { SampleSection(name: $0.name, rows: $0.items.map(read)) }
  }

  func laws(_ update: Update<Source.Item>) -> [Violation] {
    var violations = Laws.violations(of: update, identifiedBy: { read($0).id }, by: { read($0) == read($1) })
    if update.changes.isEmpty { violations.append(Violation(.frugal, "an empty update is told")) }
    return violations
  }
}

/// A section of the sample, to compare by.
struct SampleSection: Equatable, Sendable {
  let name: String
  let rows: [Errand]

  init(name: String, rows: [Errand]) {
    self.name = name
    self.rows = rows
  }

  init(_ section: Section<Errand>) { self.init(name: section.name, rows: Array(section.items)) }
}
