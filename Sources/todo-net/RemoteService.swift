import CurlTransport
import DataSources
import Foundation
import LiveFeeds
import TodoCommands
import TodoCore

/// A service over HTTP.
struct CurlService: RemoteService {
  private let address: RemoteAddress

  init(_ address: RemoteAddress) { self.address = address }

  func post(_ body: [UInt8]) async throws -> [UInt8] {
    let answer: CurlTransport.Answer
    do {
      answer = try await transport(RemoteRequest.path).post(body, type: RemoteRequest.type)
    } catch let error as FeedError {
      throw TodoError.inputOutput("the service \(address.url) can't be reached: \(advice(error))")
    }
    if answer.status == 200, answer.type == RemoteAnswer.type { return answer.body }
    throw TodoError.inputOutput(refusal(answer))
  }

  func rows(view: String, filter: String) async throws -> (AnyDataSource<RemoteLine>, news: AsyncStream<any Error>) {
    var query = URLComponents()
    query.queryItems = [URLQueryItem(name: "view", value: view), URLQueryItem(name: "filter", value: filter)]
    // A plus sign would be a space.
    let text = (query.percentEncodedQuery ?? "").replacing("+", with: "%2B")
    var options = RemoteOptions()
    options.longestPause = .seconds(5)  // somebody looks at it
    let source = RemoteDataSource<RemoteLine>(transport("/api/live?\(text)"), options: options)
    do {
      try await source.reload()
    } catch {
      throw TodoError.inputOutput("the list of \(address.url) can't be read: \(error)")
    }
    let (news, continuation) = AsyncStream.makeStream(of: (any Error).self)
    let task = Task { [address] in
      var wasLost = false
      for await state in source.states() {
        switch state {
        case .connecting: break
        case .live:
          if wasLost { continuation.yield(TodoError.failure("connected to \(address.url) again")) }
          wasLost = false
        case .stale(_, let reason):
          if !wasLost {
            continuation.yield(
              TodoError.inputOutput(
                "no connection to \(address.url), which is tried again; this is the last list: \(reason)"))
          }
          wasLost = true
        case .failed(let reason):
          continuation.yield(TodoError.inputOutput("the list of \(address.url) has ended: \(reason)"))
        }
      }
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

  private func advice(_ error: FeedError) -> String {
    let reason = error.reason.prefix(1).lowercased() + error.reason.dropFirst()
    if !error.isFinal { return "\(reason); start it with `todo serve`, or check the address" }
    return "\(reason); --ca-file names a file with the certificates to trust"
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
