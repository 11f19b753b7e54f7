import FeedServer
import TodoCommands
import TodoCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Runs commands for `todo --remote`: the program itself, as a process of its own.
struct CommandAPI: Sendable {
  private let path: String
  private let access: Access
  private let program = ServedProgram()
  /// A request holds all that a command reads.
  private static let inputBytes = 64 << 20

  init(location: DatabaseLocation, access: Access) {
    self.access = access
    path = URL(filePath: location.path).path
  }

  func add(to server: FeedServer) {
    server.on(
      "POST", RemoteRequest.path, bodyBytes: Self.inputBytes, authorize: { access.refusal(of: $0) }
    ) { request in
      guard request.headers["content-type"] == RemoteRequest.type else {
        throw HTTPResponse.problem(415, "send a command as \(RemoteRequest.type), as `todo --remote` does")
      }
      do {
        var command = try RemoteRequest(request.body)
        command.environment.append(("TODO_DB", path))
        return HTTPResponse(200, type: RemoteAnswer.type, try await program.run(command).bytes)
      } catch let error as TodoError {
        if case .usage = error { throw HTTPResponse.problem(422, error.message) }
        throw HTTPResponse.problem(503, error.message)
      }
    }
  }
}
