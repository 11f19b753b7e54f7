import DataSources
import DataSourcesTestSupport
import FetchedResultsSupport
import TestSupport
import Testing

/// Every source of this module, through the same suite: swapping one for another touches no client.
@Suite(.timeLimit(.minutes(10))) struct ConformanceTests {
  struct Refused: Error {}

  /// A store that is neither an array nor an array of arrays.
  struct Part: Sendable {
    var name: String
    var errands: [Errand]

    static func parts(_ list: Snapshot<Errand>) -> [Part] { list.map { Part(name: $0.name, errands: Array($0.items)) } }

    static let provider = DataProvider<[Part], Errand>(
      numberOfSections: { $0.count }, numberOfItems: { $0[$1].errands.count },
      item: { $0[$1.section].errands[$1.item] },
      path: { parts, errand in
        for (section, part) in parts.enumerated() {
          if let item = part.errands.firstIndex(of: errand) { return ItemPath(section: section, item: item) }
        }
        return nil
      })
  }

  @Test(arguments: Seeds.range(6)) func `a section controller`(seed: UInt64) async throws {
    let suite = DataSourceConformance(
      making: { SectionController($0) },
      changing: { source, list in source.replace(with: list) },
      reading: { $0 },
      failing: { source in
        try? source.edit { draft in
          draft.clear()
          throw Refused()
        }
      })
    #expect(try await suite.violations(seed: seed) == [], "\(Seeds.hint(seed))")
  }

  /// A source as a third party would write it: the example of ``UpdateBroadcaster``.
  final class Feed: DataSourceProtocol {
    private let list: UpdateBroadcaster<Errand>
    init(_ list: Snapshot<Errand>) { self.list = UpdateBroadcaster(list) }
    var snapshot: Snapshot<Errand> { list.snapshot }
    func updates() -> AsyncStream<Update<Errand>> { list.updates() }
    func follow() -> Following<Errand> { list.follow() }
    func reload() async throws {}
    func show(_ errands: Snapshot<Errand>) { list.publish(errands) }
  }

  @Test(arguments: Seeds.range(6)) func `a source of a third party with a broadcaster`(seed: UInt64) async throws {
    let suite = DataSourceConformance(
      making: { Feed($0) }, changing: { source, list in source.show(list) }, reading: { $0 })
    #expect(try await suite.violations(seed: seed) == [], "\(Seeds.hint(seed))")
  }

  @Test(arguments: Seeds.range(6)) func `a section controller edited piece by piece`(seed: UInt64) async throws {
    let suite = DataSourceConformance(
      making: { SectionController(sections: Array($0)) },
      changing: { source, list in
        source.edit { draft in
          draft.clear()
          for section in list { draft.createSection(name: section.name) }
          for (index, section) in list.enumerated() {
            for errand in section.items.reversed() { draft.insert(errand, at: ItemPath(section: index, item: 0)) }
          }
        }
      },
      reading: { $0 })
    #expect(try await suite.violations(seed: seed) == [], "\(Seeds.hint(seed))")
  }

  @Test(arguments: Seeds.range(6)) func `a section controller behind any data source`(seed: UInt64) async throws {
    // The maker's controllers are found again by what they show; they live as long as the source that wraps them.
    let suite = DataSourceConformance(
      making: { list in Editable(SectionController(list)) },
      changing: { source, list in source.controller.replace(with: list) },
      reading: { $0 })
    #expect(try await suite.violations(seed: seed) == [], "\(Seeds.hint(seed))")
  }

  @Test(arguments: Seeds.range(6)) func `a store read through a provider`(seed: UInt64) async throws {
    let suite = DataSourceConformance(
      making: { list in
        ProviderDataSource(store: Part.parts(list), provider: Part.provider) { parts, section in parts[section].name }
      },
      changing: { source, list in source.setStore(Part.parts(list)) },
      reading: { $0 },
      asking: { source in
        source.store.map { [Part.provider.snapshot(of: $0) { parts, index in parts[index].name }] } ?? []
      })
    #expect(try await suite.violations(seed: seed) == [], "\(Seeds.hint(seed))")
  }

  @Test(arguments: Seeds.range(6)) func `a switching source whose source stays`(seed: UInt64) async throws {
    let suite = DataSourceConformance(
      making: { Switching(SectionController($0)) },
      changing: { source, list in source.controller.replace(with: list) },
      reading: { $0 })
    #expect(try await suite.violations(seed: seed) == [], "\(Seeds.hint(seed))")
  }

  @Test(arguments: Seeds.range(6)) func `a switching source that switches with every change`(seed: UInt64) async throws
  {
    let suite = DataSourceConformance(
      making: { SwitchingDataSource(SectionController($0)) },
      changing: { source, list in source.source = AnyDataSource(SectionController(list)) },
      reading: { $0 })
    #expect(try await suite.violations(seed: seed) == [], "\(Seeds.hint(seed))")
  }

  @Test(arguments: Seeds.range(6)) func `an array that is loaded`(seed: UInt64) async throws {
    let suite = DataSourceConformance(
      making: { list in try await Loaded(list) },
      changing: { source, list in
        source.server.withLock { $0 = Array(list[0].items) }
        try await source.reload()
      },
      reading: { $0 },
      failing: { source in
        let rows = source.server.withLock { $0 }
        source.server.withLock { $0 = nil }
        try? await source.reload()
        source.server.withLock { $0 = rows }
      },
      within: .emptySections)
    #expect(try await suite.violations(seed: seed) == [], "\(Seeds.hint(seed))")
  }

  @Test func `a source of closures`() async throws {
    let suite = DataSourceConformance(
      making: { list in ByClosures(SectionController(list)) },
      changing: { source, list in source.controller.replace(with: list) },
      reading: { $0 })
    #expect(try await suite.violations(seed: 1) == [])
  }

  /// A controller behind `AnyDataSource`, with a way to edit it.
  struct Editable: DataSourceProtocol {
    let controller: SectionController<Errand>
    let source: AnyDataSource<Errand>

    init(_ controller: SectionController<Errand>) {
      self.controller = controller
      source = AnyDataSource(AnyDataSource(controller))
    }

    var snapshot: Snapshot<Errand> { source.snapshot }
    func updates() -> AsyncStream<Update<Errand>> { source.updates() }
    func follow() -> Following<Errand> { source.follow() }
    func reload() async throws { try await source.reload() }
  }

  /// A switching source, with a way to edit what is behind it.
  final class Switching: DataSourceProtocol {
    let controller: SectionController<Errand>
    let source: SwitchingDataSource<Errand>

    init(_ controller: SectionController<Errand>) {
      self.controller = controller
      source = SwitchingDataSource(SwitchingDataSource(controller))
    }

    var snapshot: Snapshot<Errand> { source.snapshot }
    func updates() -> AsyncStream<Update<Errand>> { source.updates() }
    func follow() -> Following<Errand> { source.follow() }
    func reload() async throws { try await source.reload() }
  }

  /// The same made of closures, which follows in two steps.
  struct ByClosures: DataSourceProtocol {
    let controller: SectionController<Errand>
    let source: AnyDataSource<Errand>

    init(_ controller: SectionController<Errand>) {
      self.controller = controller
      source = AnyDataSource(snapshot: { controller.snapshot }, updates: { controller.updates() })
    }

    var snapshot: Snapshot<Errand> { source.snapshot }
    func updates() -> AsyncStream<Update<Errand>> { source.updates() }
    func reload() async throws { try await source.reload() }
  }

  /// One section that is loaded from a server.
  struct Loaded: DataSourceProtocol {
    let server: Locked<[Errand]?>
    let source: ProviderDataSource<[Errand], Errand>

    init(_ list: Snapshot<Errand>) async throws {
      let server = Locked<[Errand]?>(Array(list[0].items))
      self.server = server
      let fetchable = Fetchable<[Errand]> {
        guard let rows = server.withLock({ $0 }) else { throw Refused() }
        return rows
      }
      source = ProviderDataSource(provider: .singleSection, fetching: fetchable) { _, _ in "Errands" }
      try await source.reload()
    }

    var snapshot: Snapshot<Errand> { source.snapshot }
    func updates() -> AsyncStream<Update<Errand>> { source.updates() }
    func follow() -> Following<Errand> { source.follow() }
    func reload() async throws { try await source.reload() }
  }
}
