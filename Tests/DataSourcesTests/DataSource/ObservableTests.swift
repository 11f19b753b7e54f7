import DataSources
import Observation
import Testing

/// A type of ours with the name of a module hides that module. `@Observable` generates code that names the module
/// `Observation`, so this test only has to compile.
@Suite(.timeLimit(.minutes(10))) struct ObservableTests {
  @MainActor @Observable final class Screen {
    private(set) var rows: [Int] = []
    private var observation: ObservationToken?

    func follow(_ list: some DataSourceProtocol<Int>) {
      observation = list.observe { [weak self] update in self?.rows = Array(update.new.items) }
    }
  }

  @MainActor @Test func `an observable class can stand on a data source`() async {
    let list = SectionController([1])
    let screen = Screen()
    screen.follow(list)
    await confirmation { confirm in
      withObservationTracking {
        _ = screen.rows
      } onChange: {
        confirm()
      }
      list.append(2, toSection: 0)
      while screen.rows != [1, 2] { await Task.yield() }
    }
  }
}
