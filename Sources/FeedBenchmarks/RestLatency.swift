import FetchedResultsSupport
import Foundation
import TodoCore

/// 20 clients of `todo-net serve` over 100,000 items send 200 requests a second for ten seconds: lists, items, changes
/// and new items alike. Returns the 99th percentile of their times, in ms, each from the moment at which it was due.
func restLatency() async throws -> Double {
  let (clients, rounds, interval) = (20, 100, 100_000_000 as UInt64)
  let service = try TodoService(items: 100_000)
  defer { service.stop() }
  let times = Locked<[Double]>([])
  let start = MonotonicClock.now() + interval
  try await withThrowingTaskGroup(of: Void.self) { group in
    for number in 0..<clients {
      group.addTask {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
          Thread.detachNewThread {
            continuation.resume(
              with: Result {
                let client = try RestClient(service)
                for round in 0..<rounds {
                  let due = start + interval * UInt64(round) + interval / UInt64(clients) * UInt64(number)
                  let now = MonotonicClock.now()
                  if now < due { MonotonicClock.sleep(microseconds: Int(due - now) / 1000) }
                  try client.ask(number, round)
                  let time = Double(MonotonicClock.now() - due) / 1e6
                  times.withLock { $0.append(time) }
                }
              })
          }
        }
      }
    }
    try await group.waitForAll()
  }
  let sorted = times.withLock { $0.sorted() }
  return sorted[sorted.count * 99 / 100]
}

/// A service of its own, with items, from the program beside this one.
private final class TodoService: @unchecked Sendable {  // because nothing changes once it is made
  let port: UInt16
  let token: String
  private let process = Process()
  private let folder = FileManager.default.temporaryDirectory.appending(path: "feedbench-\(getpid())-todo")

  init(items: Int) throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let path = folder.appending(path: "todo.db").path
    let store = try TodoStore.open(DatabaseLocation(path: path))
    let rows = (1...items).map { "title \($0),L\($0 % 100)\n" }.joined()
    _ = try store.importItems(TransferFormat.csv.read(Array("title,list\n\(rows)".utf8)))
    _ = store.finish()
    let pipe = Pipe()
    process.executableURL = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
      .appending(path: "todo-net")
    process.arguments = ["serve", "--db", path, "--listen", "127.0.0.1:0"]
    process.standardOutput = pipe
    try process.run()
    let address = String(decoding: pipe.fileHandleForReading.availableData, as: UTF8.self)
    let url = URLComponents(string: address.trimmingCharacters(in: .whitespacesAndNewlines))
    guard let port = url?.port, let token = url?.queryItems?.first?.value else {
      throw Failure("todo-net has printed '\(address)'")
    }
    (self.port, self.token) = (UInt16(port), token)
  }

  func stop() {
    kill(process.processIdentifier, SIGTERM)
    process.waitUntilExit()
    try? FileManager.default.removeItem(at: folder)
  }
}

/// A connection that is kept.
private struct RestClient {
  private let socket: Int32
  private let head: String

  init(_ service: TodoService) throws {
    socket = try connection(to: service.port)
    head = " HTTP/1.1\r\nHost: 127.0.0.1:\(service.port)\r\nAuthorization: Bearer \(service.token)\r\n"
  }

  /// Sends the request of a round, and checks its answer.
  func ask(_ client: Int, _ round: Int) throws {
    let id = client * 5000 + round + 1
    switch round % 4 {
    case 0: try expect("title", in: send("GET", "/api/items?filter=%2BL\(round)&limit=50"))
    case 1: try expect("\"title\":\"title \(id)\"", in: send("GET", "/api/items/\(id)"))
    case 2: try expect("\"done\":true", in: send("PATCH", "/api/items/\(id)", "{\"done\":true}"))
    default:
      try expect(
        "client \(client), round \(round)",
        in: send("POST", "/api/items", "{\"line\":\"client \(client), round \(round)\"}"))
    }
  }

  private func expect(_ text: String, in answer: String) throws {
    guard answer.hasPrefix("HTTP/1.1 20"), answer.contains(text) else { throw Failure("not '\(text)': \(answer)") }
  }

  private func send(_ method: String, _ path: String, _ body: String = "") throws -> String {
    let type = body.isEmpty ? "" : "Content-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n"
    let request = Array("\(method) \(path)\(head)\(type)\r\n\(body)".utf8)
    guard request.withUnsafeBytes({ CLibrary.write(socket, $0) }) == request.count else { throw Failure("cut") }
    var answer: [UInt8] = []
    var length: Int?
    var room = [UInt8](repeating: 0, count: 64 << 10)
    repeat {
      let count = room.withUnsafeMutableBytes { CLibrary.read(socket, $0) }
      guard count > 0 else { throw Failure("a client was cut") }
      answer += room[..<count]
      if length == nil {
        let text = String(decoding: answer, as: UTF8.self)
        guard let end = text.range(of: "\r\n\r\n"), let field = text.range(of: "Content-Length: ") else { continue }
        let size = Int(text[field.upperBound...].prefix { $0.isNumber }) ?? 0
        length = text[..<end.upperBound].utf8.count + size
      }
    } while answer.count < length ?? .max
    return String(decoding: answer, as: UTF8.self)
  }
}
