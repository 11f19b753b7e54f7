import FeedServer
import FetchedResults
import FetchedResultsSupport
import SQLiteStore
import TodoCore

/// What those who run the service ask: is it well, and what does it do.
struct MonitoringAPI: Sendable {
  let store: TodoStore
  let lists: LiveLists
  let access: Access
  private let commits = Commits()

  init(store: TodoStore, lists: LiveLists, access: Access) {
    (self.store, self.lists, self.access) = (store, lists, access)
    commits.follow(store)
  }

  func add(to server: FeedServer) {
    // A monitor has no token, so the answer has nothing of the lists and of the machine.
    server.on("GET", "/health", authorize: { access.refusal(of: $0, needsToken: false) }) { _ in
      if let problem = await problem() {
        return HTTPResponse(503, problem, headers: ["Retry-After": "5"])
      }
      return HTTPResponse(200, "ok")
    }
    server.on("GET", "/metrics", authorize: { access.refusal(of: $0) }) { [unowned server] _ in
      let text = Metrics(server.counts, await lists.statistics, commits: commits.count.withLock { $0 }).text
      return HTTPResponse(200, type: "text/plain; version=0.0.4; charset=utf-8", text.utf8)
    }
    server.on("GET", "/api/openapi.json", authorize: { access.refusal(of: $0) }) { _ in
      HTTPResponse(200, type: "application/json", PackageResources.openapi_json)
    }
  }

  /// What keeps the service from working, in a sentence; nil if nothing does.
  private func problem() async -> String? {
    do {
      _ = try store.revision()
    } catch {
      log("the database can't be read: \(error.message)")
      return "the database can't be read; the log says why"
    }
    if let path = store.path, !CLibrary.hasRoom(toExtend: path, from: 0, to: 1 << 20) {
      return "the disk is full"
    }
    do {
      try await store.database.write { _ in }
    } catch {
      log("the database can't be written: \(TodoError(error).message)")
      return "the database can't be written; the log says why"
    }
    return nil
  }
}

/// The commits that have come since the service started, from any program.
private final class Commits: Sendable {
  let count = Locked(0)
  private let observation = Locked<ObservationToken?>(nil)

  func follow(_ store: TodoStore) {
    let token = store.database.observe(["change"]) { [count] _ in count.withLock { $0 += 1 } }
    observation.withLock { $0 = token }
  }
}

/// The figures of a service, as Prometheus reads them.
struct Metrics {
  private(set) var text = ""

  init(_ counts: FeedServerCounts, _ lists: (lists: Int, cost: Statistics), commits: Int) {
    add("readers", "gauge", "Readers of live lists.", [("", counts.readers)])
    add("connections", "gauge", "Open connections.", [("", counts.connections)])
    add("lists", "gauge", "Live lists that are kept.", [("", lists.lists)])
    add("requests_total", "counter", "Requests.", [("", counts.requests)])
    add("refused_total", "counter", "Requests that were answered with an error.", [("", counts.refused)])
    add("sent_bytes_total", "counter", "Bytes of bodies that were sent.", [("", counts.bytesSent)])
    add("commits_total", "counter", "Commits to the database, by any program.", [("", commits)])
    add(
      "evaluations_total", "counter", "How live lists followed the commits.",
      [("{how=\"rows\"}", lists.cost.incremental), ("{how=\"query\"}", lists.cost.requeried)])
    add(
      "requeries_total", "counter", "Why whole queries ran again.",
      lists.cost.reasons.sorted { $0.key < $1.key }.map { ("{reason=\"\(Self.escape($0.key))\"}", $0.value) })
    add("answer_seconds", "From the end of a request's head to its answer.", counts.answers)
    add("frame_seconds", "From a change of a live list to the connection of a reader.", counts.frames)
  }

  private mutating func add(_ name: String, _ type: String, _ help: String, _ values: [(labels: String, value: Int)]) {
    text += "# HELP todo_\(name) \(help)\n# TYPE todo_\(name) \(type)\n"
    for (labels, value) in values { text += "todo_\(name)\(labels) \(value)\n" }
  }

  private mutating func add(_ name: String, _ help: String, _ durations: Durations) {
    add(name, "histogram", help, [])
    for (bound, count) in zip(Durations.bounds, durations.counts) {
      text += "todo_\(name)_bucket{le=\"\(bound)\"} \(count)\n"
    }
    text += "todo_\(name)_bucket{le=\"+Inf\"} \(durations.count)\n"
    text += "todo_\(name)_sum \(durations.sum)\ntodo_\(name)_count \(durations.count)\n"
  }

  private static func escape(_ text: String) -> String {
    text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
  }
}

extension Statistics {
  /// The cost of two lists together.
  static func + (left: Self, right: Self) -> Self {
    var sum = left
    sum.commits += right.commits
    sum.incremental += right.incremental
    sum.requeried += right.requeried
    sum.rowsRead += right.rowsRead
    sum.reasons.merge(right.reasons, uniquingKeysWith: +)
    return sum
  }
}
