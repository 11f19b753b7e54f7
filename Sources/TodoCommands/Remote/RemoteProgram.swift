package import DataSources
import TodoCore

/// A service, as a client sees it.
package protocol RemoteService: Sendable {
  /// The live list that the parameters describe, once it is there, and what becomes of the connection.
  func rows(
    _ parameters: [(name: String, value: String)]
  ) async throws -> (AnyDataSource<RemoteLine>, news: AsyncStream<any Error>)

  /// Posts a request, and returns the answer's body. Throws a ``TodoError`` that names the service if there is none
  /// within this time.
  func post(_ body: [UInt8], within time: Duration) async throws -> [UInt8]
}

/// The client of a service: `todo --remote URL COMMAND`.
package enum RemoteProgram {
  /// Runs a command at the service that its arguments or the environment name, and exits with its code.
  package static func main(
    _ arguments: [String], connect: @escaping (RemoteAddress) -> any RemoteService
  ) -> Never {
    Program.main {
      let invocation = try ArgumentParser(Command.all).parse(arguments)
      guard let address = try RemoteAddress(invocation, isChosen: true) else {
        throw TodoError.usage("there is no service; name one with --remote URL")
      }
      try invocation.checkRemote(isHere: false)
      let service = connect(address)
      if invocation.command.place == .terminal { return try WatchCommand.run(invocation, at: service) }
      return try run(invocation, service)
    }
  }

  /// How long a command and its answer may take. The service ends a command after five minutes.
  private static let patience = Duration.seconds(600)

  private static func run(_ invocation: Invocation, _ service: any RemoteService) throws -> Int32 {
    let input = try invocation.input.map { path throws(TodoError) in try System.read(path) } ?? []
    var variables = try Caller.variables()
    var answers: [String] = []
    while true {
      let bytes = RemoteRequest(invocation.arguments, variables, input: input).bytes
      guard let answer = RemoteAnswer(try Blocking.run { try await service.post(bytes, within: patience) }) else {
        throw TodoError.inputOutput("the service has sent no answer of a command; its version may be another one")
      }
      let isQuestion = answer.code == Caller.needsAnswerCode
      if !isQuestion {
        let output = Output()
        try output.print(answer.output)
        try output.flush()
      }
      _ = answer.errors.withUnsafeBytes { System.write($0, to: 2) }
      if !isQuestion { return answer.code }
      let letter = readLine().map { $0.lowercased().first { $0 != " " } ?? "?" } ?? "n"
      answers.append("\(letter):\(String(decoding: answer.output, as: UTF8.self))")
      variables.removeAll { $0.0 == .answers }
      variables.append((.answers, answers.joined(separator: " ")))
    }
  }
}

extension Invocation {
  /// The file that the command reads, or "-"; nil if it reads none.
  fileprivate var input: String? {
    switch command.input {
    case .nothing: nil
    case .hyphen: operands == ["-"] ? "-" : nil
    case .file: words.first
    }
  }
}
