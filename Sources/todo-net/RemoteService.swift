import CurlTransport
import DataSources
import LiveFeeds
import TodoCommands
import TodoCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A service over HTTP.
struct CurlService: RemoteService {
  private let address: RemoteAddress

  init(_ address: RemoteAddress) { self.address = address }

  /// More than the 64 MiB that a command can print.
  private static let answerBytes = 65 << 20

  func post(_ body: [UInt8], within time: Duration) async throws -> [UInt8] {
    let answer: CurlTransport.Answer
    do {
      answer = try await transport(RemoteRequest.path)
        .post(body, type: RemoteRequest.type, limit: Self.answerBytes, within: time)
    } catch let error as CurlTransport.Failure {
      throw TodoError.inputOutput("the service \(address.url) can't be reached: \(Self.advice(error))")
    } catch let error as FeedError {
      throw TodoError.inputOutput("the service \(address.url) can't be used: \(error.reason)")
    }
    if answer.status == 200, answer.type == RemoteAnswer.type { return answer.body }
    throw TodoError.inputOutput(refusal(answer))
  }

  func rows(
    _ parameters: [(name: String, value: String)]
  ) async throws -> (AnyDataSource<RemoteLine>, news: AsyncStream<any Error>) {
    var query = URLComponents()
    query.queryItems = parameters.map { URLQueryItem(name: $0.name, value: $0.value) }
    // A plus sign would be a space.
    let text = (query.percentEncodedQuery ?? "").replacing("+", with: "%2B")
    var options = RemoteOptions()
    // Somebody looks at it.
    options.longestPause = .seconds(5)
    options.patience = .seconds(5)
    let source = RemoteDataSource<RemoteLine>(transport("/api/live?\(text)"), options: options)
    do {
      try await source.reload()
    } catch {
      throw TodoError.inputOutput("the list of \(address.url) can't be read: \(error)")
    }
    let (news, continuation) = AsyncStream.makeStream(of: (any Error).self)
    let task = Task { [address] in
      // What the screen says while the connection is lost: again and again, because each key removes it.
      var reminding: Task<Void, any Error>?
      for await state in source.states() {
        let wasLost = reminding != nil
        reminding?.cancel()
        reminding = nil
        switch state {
        case .connecting: break
        case .live:
          if wasLost { continuation.yield(TodoError.failure("connected to \(address.url) again")) }
        case .stale(_, let reason):
          reminding = Task {
            while true {
              continuation.yield(
                TodoError.inputOutput(
                  "no connection to \(address.url), which is tried again; this is the last list: \(reason)"))
              try await Task.sleep(for: .seconds(2))
            }
          }
        case .failed(let reason):
          continuation.yield(TodoError.inputOutput("the list of \(address.url) has ended: \(reason)"))
        }
      }
      reminding?.cancel()
    }
    continuation.onTermination = { _ in task.cancel() }
    return (AnyDataSource(source), news)
  }

  func transport(_ path: String) -> CurlTransport {
    let headers = address.token.map { ["Authorization": "Bearer \($0)"] } ?? [:]
    var transport = CurlTransport(address.url + path) { headers }
    transport.certificates = address.certificates
    return transport
  }

  private static func advice(_ error: CurlTransport.Failure) -> String {
    let reason = error.reason.prefix(1).lowercased() + error.reason.dropFirst()
    return switch error.cause {
    case .address: "its address is invalid; use the one that `todo serve` has printed"
    case .certificate: "\(reason); name a file with the certificates to trust with --ca-file"
    case .time: "it doesn't answer in time; check the address and the network, or try again"
    case .connection: "\(reason); start it with `todo serve`, or check the address"
    }
  }

  /// Why there is no answer of a command.
  private func refusal(_ answer: CurlTransport.Answer) -> String {
    let service = "the service \(address.url)"
    guard answer.type == "application/problem+json", let problem = try? JSONValue.parse(answer.body).object else {
      return "\(address.url) is no todo service; use the address that `todo serve` has printed"
    }
    switch answer.status {
    case 401:
      return address.token == nil
        ? "\(service) needs its token; use the whole address that it has printed, or --token-file FILE, or TODO_TOKEN"
        : "\(service) has another token; use the address that it has printed, or --token-file FILE, or TODO_TOKEN"
    case 404: return "\(service) is of an earlier version, which runs no commands; update todo there"
    default: return "\(service) refuses the command: \(problem["detail"]?.string ?? "status \(answer.status)")"
    }
  }
}
