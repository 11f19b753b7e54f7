import FetchedResultsSupport
import Foundation
import TodoCommands
import TodoCore

/// The to-do program over a network: `todo-net serve`, and `todo-net remote`, which is what `todo --remote` runs.
@main struct TodoNet {
  static let usage = """
    usage: todo-net serve [--db FILE] [--listen ADDRESS:PORT] [--token-file FILE]

    Serve the to-do lists as a live page and a JSON API until Ctrl-C, and print the page's address.

      --db FILE              The database, as in todo.
      --listen ADDRESS:PORT  Where to listen (127.0.0.1:8750 by default); port 0 is any free one.
                             An address other than 127.0.0.1 and [::1] lets other computers in, unencrypted:
                             it needs --token-file.
      --token-file FILE      The secret that lets a browser in, instead of a fresh one at each start.
                             Only you may be able to read the file: chmod 600 FILE

    """

  static func main() async {
    signal(SIGPIPE, SIG_IGN)  // a log that nobody reads must not end the service
    do {
      let arguments = Array(CommandLine.arguments.dropFirst())
      if arguments.first == "remote" { RemoteProgram.main(Array(arguments.dropFirst())) { CurlService($0) } }
      if arguments.contains("--help") || arguments.contains("-h") { return print(usage, terminator: "") }
      guard arguments.first == "serve" else {
        throw TodoError.usage("todo-net needs the command serve, as in: todo-net serve; --help says more")
      }
      try await Service(ServeOptions(arguments.dropFirst())).run()
    } catch {
      let error = TodoError(error)
      log(error.message)
      exit(error.exitCode)
    }
  }
}

/// Writes a line to standard error. A line that can't be written is lost.
func log(_ line: String) {
  let bytes = Array("todo-net: \(line)\n".utf8)
  _ = write(2, bytes, bytes.count)
}
