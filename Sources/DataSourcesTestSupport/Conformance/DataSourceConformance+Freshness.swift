import DataSources
import FetchedResultsSupport

extension DataSourceConformance {
  /// Readers that query the source in every possible way as soon as they receive an update.
  func freshness(seed: UInt64, steps: Int) async throws -> [Violation] {
    var random = SeededGenerator(seed: seed &+ 2)
    var list = start
    let source = try await make(list)
    let history = Locked([contents(source.snapshot)])
    let found = Locked<[Violation]>([])
    let last = Locked<[SampleSection]>([])
    let numberAtEnd = Locked(0)
    let readers = (0..<8).map { _ in
      let updates = source.updates()
      return Task { [self] in
        for await update in updates {
          let told = contents(update.new)
          let answers = [contents(source.snapshot)] + (ask?(source) ?? []).map { $0.map(SampleSection.init) }
          let lists = history.withLock { $0 }
          guard let earliest = lists.firstIndex(of: told) else { continue }
          for answer in answers where (lists.lastIndex(of: answer) ?? -1) < earliest {
            found.withLock {
              $0.append(Violation(.current, "a reader receives an update and finds an older list", "\(update)"))
            }
          }
          if last.withLock({ $0 == told }) { numberAtEnd.withLock { $0 += 1 } }
        }
      }
    }
    for step in 0..<steps {
      let before = list
      list = ErrandsAndCareer.changed(list, within: shapes, using: &random)
      while step == steps - 1, list.map(SampleSection.init) == before.map(SampleSection.init) {
        list = ErrandsAndCareer.changed(list, within: shapes, using: &random)
      }
      let next = list.map(SampleSection.init)
      history.withLock { $0.append(next) }
      if step == steps - 1 { last.withLock { $0 = next } }
      try await change(source, list)
    }
    // Readers that received nothing are checked elsewhere.
    let end = ContinuousClock.now.advanced(by: patience)
    while numberAtEnd.withLock({ $0 < readers.count }), ContinuousClock.now < end {
      try await Task.sleep(for: .milliseconds(1))
    }
    for reader in readers { reader.cancel() }
    return found.withLock { Array($0.prefix(1)) }
  }
}
