import FetchedResultsSupport
import TodoCommands
import TodoCore

/// The to-do program over a network: what `todo serve` and `todo --remote` run.
@main struct TodoNet {
  static func main() async {
    signal(SIGPIPE, SIG_IGN)  // a log that nobody reads must not end the service
    do {
      let arguments = Array(CommandLine.arguments.dropFirst())
      switch arguments.first {
      case "remote": RemoteProgram.main(Array(arguments.dropFirst())) { CurlService($0) }
      case "serve": break
      case "--help", "-h": return print("the network of todo; see `todo serve --help` and `todo help`")
      default: throw TodoError.usage("this program is run by todo, as in: todo serve; todo serve --help says more")
      }
      let options = try ServeOptions(Array(arguments.dropFirst()))
      Log.isJSON.withLock { $0 = options.logsJSON }
      try await Service(options).run()
    } catch {
      let error = TodoError(error)
      log(error.message, .error)
      exit(error.exitCode)
    }
  }
}
