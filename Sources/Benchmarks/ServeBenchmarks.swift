import FetchedResultsSupport

/// `todo serve`, its page and its API. `Scripts/bench` builds it where libmicrohttpd is installed; elsewhere these
/// figures are left out. Those of the page need Chromium, which `Scripts/bootstrap-browser` installs.
func serveBenchmarks() -> [Benchmark] {
  guard let service = try? Todo.sibling("todo-net"), let feedbench = try? Todo.sibling("feedbench") else { return [] }
  func page(_ name: String, _ about: String, _ unit: String) -> Benchmark {
    Benchmark(name, about) { _ in
      let own = CommandLine.arguments[0]
      guard let build = own.range(of: "/.build/") else { throw WrongResult("\(own) is in no folder .build") }
      let script = "\(own[..<build.lowerBound])/Tests/Browser/figures.py"
      let products = service.dropLast("/todo-net".count)
      let text = try Todo.run(
        ["PRODUCTS=\(products)", "/usr/bin/python3", script, "--only", name], program: "/usr/bin/env"
      ).text
      guard let value = text.range(of: "\"value\": ").flatMap({ Double(text[$0.upperBound...].prefix { $0 != "," }) })
      else { throw WrongResult("figures.py has printed '\(text)'") }
      return Figure(value: value, unit: unit)
    }
  }
  return [
    page("serve.page_ms", "the page is opened, until the first of 100,000 items are on view", "ms"),
    page("serve.change_ms", "a command commits, until the row has changed on the page", "ms"),
    page("serve.scroll_fps", "60 over the frames per second while scrolling through 100,000 items", "ratio"),
    page("serve.remote_ratio", "todo --remote URL list of 1,000 items, against todo list", "ratio"),
    Benchmark("serve.rest_p99_ms", "200 requests a second by 20 clients to 100,000 items, the slowest in a hundred") {
      _ in
      let text = try Todo.run(["serve.rest_p99_ms"], program: feedbench).text
      guard let value = Double(text.filter { !$0.isWhitespace }) else { throw WrongResult("it has printed '\(text)'") }
      return .milliseconds(value)
    },
  ]
}
