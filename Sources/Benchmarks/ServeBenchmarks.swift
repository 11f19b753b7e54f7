import FetchedResultsSupport

/// `todo serve`, its page and its API. `Scripts/bench` builds it where libmicrohttpd is installed; elsewhere these
/// figures are left out. Those of the page need Chromium, which `Scripts/bootstrap-browser` installs.
func serveBenchmarks() -> [Benchmark] {
  guard let service = try? Todo.sibling("todo-net") else { return [] }
  func page(_ name: String, _ about: String, _ unit: String) -> Benchmark {
    Benchmark(name, about) { _ in
      // Scripts/bench runs this in the package's folder.
      let products = service.dropLast("/todo-net".count)
      let text = try Todo.run(
        ["PRODUCTS=\(products)", "/usr/bin/python3", "Tests/Browser/figures.py", "--only", name],
        program: "/usr/bin/env"
      ).text
      // One line of JSON, whose second value is the figure.
      let parts = text.split(separator: ":")
      guard parts.count > 2, let value = Double(parts[2].prefix { $0 != "," }.filter { $0 != " " }) else {
        throw WrongResult("figures.py has printed '\(text)'")
      }
      return Figure(value: value, unit: unit)
    }
  }
  return [
    page("serve.page_ms", "the page is opened, until the first of 100,000 items are on view", "ms"),
    page("serve.change_ms", "a command commits, until the row has changed on the page", "ms"),
    page("serve.scroll_fps", "60 over the frames per second while scrolling through 100,000 items", "ratio"),
    page("serve.remote_ratio", "todo --remote URL list of 1,000 items, against todo list", "ratio"),
  ]
}
