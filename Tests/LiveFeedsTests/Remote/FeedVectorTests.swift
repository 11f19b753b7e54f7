import DataSources
import DataSourcesTestSupport
import FeedTestSupport
import FetchedResultsSupport
import Foundation
import LiveFeeds
import TestSupport
import Testing

/// The files in Fixtures/feeds, with which clients in other languages can be tested.
///
/// `WRITE_FEED_VECTORS=1 Scripts/test --filter FeedVectorTests` writes them again after a change of the format.
@Suite(.timeLimit(.minutes(5))) struct FeedVectorTests {
  struct Case: Decodable {
    var name: String
    var before: Snapshot<Errand>?
    var frames: [Anything]
    var after: Snapshot<Errand>?
    var refused: Bool?
  }

  /// Any JSON.
  enum Anything: Codable {
    case null, bool(Bool), integer(Int64), number(Double), text(String), list([Anything]), object([String: Anything])

    init(from decoder: any Decoder) throws {
      let value = try decoder.singleValueContainer()
      if value.decodeNil() {
        self = .null
      } else if let bool = try? value.decode(Bool.self) {
        self = .bool(bool)
      } else if let integer = try? value.decode(Int64.self) {
        self = .integer(integer)
      } else if let number = try? value.decode(Double.self) {
        self = .number(number)
      } else if let text = try? value.decode(String.self) {
        self = .text(text)
      } else if let list = try? value.decode([Anything].self) {
        self = .list(list)
      } else {
        self = .object(try value.decode([String: Anything].self))
      }
    }

    func encode(to encoder: any Encoder) throws {
      var value = encoder.singleValueContainer()
      switch self {
      case .null: try value.encodeNil()
      case .bool(let bool): try value.encode(bool)
      case .integer(let integer): try value.encode(integer)
      case .number(let number): try value.encode(number)
      case .text(let text): try value.encode(text)
      case .list(let list): try value.encode(list)
      case .object(let object): try value.encode(object)
      }
    }

    subscript(_ key: String) -> Anything? { if case .object(let object) = self { object[key] } else { nil } }
  }

  private var cases: [Case] {
    get throws {
      try ["patches", "snapshots", "windows", "refused"].flatMap { name in
        let file = try Data(contentsOf: FeedVectors.folder.appending(path: "\(name).json"))
        return try JSONDecoder().decode([Case].self, from: file)
      }
    }
  }

  @Test func `feeds write the frames of the files`() async throws {
    let files = try await FeedVectors.files()
    for (name, text) in files {
      let file = FeedVectors.folder.appending(path: name)
      if ProcessInfo.processInfo.environment["WRITE_FEED_VECTORS"] != nil {
        try text.write(to: file, atomically: true, encoding: .utf8)
      }
      #expect(try String(contentsOf: file, encoding: .utf8) == text, "\(name)")
    }
    #expect(try cases.count >= 60 && Set(cases.map(\.name)).count == cases.count)
  }

  @Test func `a remote list becomes what the files say`() async throws {
    for vector in try cases {
      var frames = try vector.frames.map { String(decoding: try JSONEncoder().encode($0), as: UTF8.self) }
      if let before = vector.before {
        guard case .text(let place) = vector.frames[0]["after"] ?? .text("h.0") else { continue }
        let start = vector.refused == true ? "h.0" : place
        let sections = String(decoding: try JSONEncoder().encode(before), as: UTF8.self)
        frames.insert("{\"next\":\"\(start)\",\"reset\":true,\"sections\":\(sections)}", at: 0)
      }
      let transport = ScriptedTransport([.stays(frames.map { $0 + "\n" })], then: .hangs)
      let remote = RemoteDataSource<Errand>(transport, options: .quick)
      if vector.refused == true {
        try await remote.wait { if case .stale = $0.state { true } else { false } }
        #expect(remote.snapshot == vector.before, "\(vector.name)")
      } else {
        try await remote.wait { $0.state == .live && $0.snapshot == vector.after }
      }
    }
  }

  @Test func `the client in Python applies the files`() throws {
    let python = ["/usr/bin/python3", "/usr/local/bin/python3"].first {
      FileManager.default.isExecutableFile(atPath: $0)
    }
    guard let python else { return print("the client in Python was not tested: python3 is missing") }
    let process = Process()
    process.executableURL = URL(filePath: python)
    process.arguments = [FeedVectors.folder.appending(path: "check.py").path()]
    let output = Pipe()
    process.standardError = output
    try process.run()
    let errors = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0, "\(String(decoding: errors, as: UTF8.self))")
  }

  @Test func `the client on the page is the one that is tested`() throws {
    let page = try String(
      contentsOf: FeedVectors.folder.appending(path: "../../docs/WireFormat.md"), encoding: .utf8)
    let script = try String(contentsOf: FeedVectors.folder.appending(path: "check.py"), encoding: .utf8)
    let block = page.split(separator: "```python\n").dropFirst().first?.split(separator: "```").first
    #expect(script.contains(try #require(block)))
  }
}
