import FetchedResultsSupport
import Foundation
import TodoCommands
import TodoCore

/// The to-do program over a network: `todo-net serve`, and `todo-net remote`, which is what `todo --remote` runs.
@main struct TodoNet {
  static let usage = """
    usage: todo-net serve [OPTION…]

    Serve the to-do lists as a live page and a JSON API until Ctrl-C, and print the page's address.

      --db FILE              The database, as in todo.
      --listen ADDRESS:PORT  Where to listen (127.0.0.1:8750 by default); port 0 is any free one.
                             An address other than 127.0.0.1 and [::1] lets other computers in: it needs --token-file,
                             and a certificate, or else whoever reads the network reads the lists.
      --token-file FILE      The secret that lets a browser in, instead of a fresh one at each start.
                             Only you may be able to read the file: chmod 600 FILE
      --certificate FILE     Speak https with this certificate (PEM, with those up to its root).
      --key FILE             The certificate's key (PEM). Only you may be able to read it.
      --url URL              The address that browsers use, if it has another name: that of the certificate, or of a
                             proxy on this machine, as in https://todo.example
      --open                 Open the page in the browser of this machine.
      --log json             Log each request and error as a line of JSON, instead of errors as text.

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
      let options = try ServeOptions(arguments.dropFirst())
      Log.isJSON.withLock { $0 = options.logsJSON }
      try await Service(options).run()
    } catch {
      let error = TodoError(error)
      log(error.message, .error)
      exit(error.exitCode)
    }
  }
}
