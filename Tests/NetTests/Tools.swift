#if Net
  import DataSources
  import FetchedResultsSupport
  import Foundation

  /// Another program, whose output goes to a file.
  final class Tool: @unchecked Sendable {  // because only `process` isn't known to be, and each is used by one test
    private let process = Process()
    private let file = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    private let ended = Locked<[CheckedContinuation<Void, Never>]?>([])

    init(_ words: String...) throws {
      _ = FileManager.default.createFile(atPath: file.path, contents: nil)
      process.executableURL = URL(filePath: "/usr/bin/env")
      process.arguments = words
      process.standardOutput = try FileHandle(forWritingTo: file)
      process.terminationHandler = { [ended] _ in
        let waiting = ended.withLock { waiting in
          defer { waiting = nil }
          return waiting
        }
        for continuation in waiting ?? [] { continuation.resume() }
      }
      try process.run()
    }

    deinit {
      if process.isRunning { signal(SIGKILL) }
      try? FileManager.default.removeItem(at: file)
    }

    func signal(_ number: Int32) { kill(process.processIdentifier, number) }

    var output: String { (try? String(contentsOf: file, encoding: .utf8)) ?? "" }
    var path: String { file.path }

    /// Waits for its end, and kills it if that doesn't come for a minute. Returns what it has written.
    @discardableResult func end() async -> String {
      let deadline = Task {
        try await Task.sleep(for: .seconds(60))
        signal(SIGKILL)
      }
      defer { deadline.cancel() }
      await withCheckedContinuation { continuation in
        let isOver = ended.withLock { waiting in
          waiting?.append(continuation)
          return waiting == nil
        }
        if isOver { continuation.resume() }
      }
      return output
    }

    /// The status with which it has ended.
    var status: Int32 { process.isRunning ? -1 : process.terminationStatus }
  }

  /// What curl has got.
  struct Answer {
    var status = 0
    var headers: [String: String] = [:]
    var body = ""

    /// Asks by curl, with options of it before the address.
    static func get(_ url: String, _ options: String...) async throws -> Answer {
      let tool = try ask(url, options)
      return Answer(await tool.end())
    }

    private static func ask(_ url: String, _ options: [String]) throws -> Tool {
      // Options of a test are few: they are joined for a shell, which keeps `Tool` simple.
      let quoted = (["curl", "-sSi", "--max-time", "20"] + options + [url]).map { "'\($0)'" }
      return try Tool("sh", "-c", quoted.joined(separator: " "))
    }

    init(_ text: String) {
      let parts = text.split(separator: "\r\n\r\n", maxSplits: 1, omittingEmptySubsequences: false)
      let lines = (parts.first ?? "").split(separator: "\r\n")
      status = Int(lines.first?.split(separator: " ").dropFirst().first ?? "") ?? 0
      for line in lines.dropFirst() {
        guard let colon = line.firstIndex(of: ":") else { continue }
        headers[line[..<colon].lowercased()] = line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
      }
      body = parts.count > 1 ? String(parts[1]) : ""
    }
  }

  /// What a client prints.
  struct Report<Item: Decodable & Sendable>: Decodable {
    struct Counts: Decodable {
      var patches: Int
      var resets: Int
      var connections: Int
    }
    var sections: [Section<Item>]
    var counts: Counts

    init(_ json: String) throws { self = try JSONDecoder().decode(Report.self, from: Data(json.utf8)) }
  }

  /// Where things are.
  enum Place {
    static let products = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
    static let clients = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Clients")
    static let page = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../Sources/OrdersService").standardized

    static func client(_ name: String) -> String { clients.appending(path: name).path }
  }

  /// A folder of a test's own.
  final class Folder: Sendable {
    let path: String
    init() throws {
      let url = FileManager.default.temporaryDirectory.appending(path: "net-\(UUID().uuidString)")
      try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
      path = url.path
    }
    deinit { try? FileManager.default.removeItem(atPath: path) }
  }

  /// Waits until something is so, for at most ten seconds. Returns whether it is.
  func eventually(_ condition: () async throws -> Bool) async rethrows -> Bool {
    for _ in 0..<500 {
      if try await condition() { return true }
      try? await Task.sleep(for: .milliseconds(20))
    }
    return false
  }
#endif
