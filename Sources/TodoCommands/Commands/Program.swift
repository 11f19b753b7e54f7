import SQLiteStore
import TodoCore

/// The program: parses the arguments, runs the command, and exits with its code.
package enum Program {
  /// The version, which `todo version` prints.
  static let version = "0.9.0"

  package static func main() -> Never { main(run) }

  static func main(_ run: () throws -> Int32) -> Never {
    System.occupyStandardDescriptors()
    Interruption.install()
    Database.countNoMemory()
    let result = Result { try run() }
    System.exit { exitCode(of: result) }
  }

  private static func run() throws -> Int32 {
    let typed = try System.arguments()
    // Every program has this flag; here it is a command.
    let arguments = typed == ["--version"] ? ["version"] : typed
    let invocation = try ArgumentParser(Command.all).parse(arguments)
    if invocation.has(.help) { return try HelpCommand.print(invocation, isOverview: !invocation.isNamed) }
    if Caller.current != nil {
      try invocation.checkRemote(isHere: true)
    } else if let address = try RemoteAddress(invocation) {
      try invocation.checkRemote(isHere: false)
      try address.run(invocation)
    }
    if invocation.command.operands.isEmpty { try invocation.takeNone() }
    return try invocation.command.run(invocation)
  }

  /// The exit code for the result of a command, after printing the error.
  private static func exitCode(of result: Result<Int32, any Error>) -> Int32 {
    do {
      return try result.get()
    } catch is ClosedPipe {
      return 0
    } catch let interruption as Interruption {
      return interruption.exitCode
    } catch {
      let error = TodoError(error)
      complain(error.message)
      return error.exitCode
    }
  }

  /// Prints an error to the standard error.
  static func complain(_ message: String) {
    let lines = Screen.errors.wrapped("todo: \(shortened(message.visible))")
    // If this fails, there is no way to report it.
    _ = Array((lines.joined(separator: "\n") + "\n").utf8).withUnsafeBytes { System.write($0, to: 2) }
  }

  /// Shortens a message: it may quote typed text of any length.
  private static func shortened(_ message: String) -> String {
    guard message.count > 1000 else { return message }
    return "\(message.prefix(600))…\(message.suffix(300))"
  }
}
