import FetchedResultsSupport
import Foundation
import TodoCore

/// The to-do program for browsers: `todo-net serve`.
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

/// The options of `todo-net serve`.
struct ServeOptions {
  var location: DatabaseLocation
  var address = "127.0.0.1"
  var port: UInt16 = 8750
  /// The token of the user's file; nil for a fresh one.
  var token: String?

  init(_ arguments: some Sequence<String>) throws(TodoError) {
    var values: [String: String] = [:]
    var rest = Array(arguments)[...]
    while let argument = rest.popFirst() {
      let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      guard ["--db", "--listen", "--token-file"].contains(parts[0]) else {
        throw .usage("todo-net serve has no \"\(argument)\"; it takes --db, --listen and --token-file, see --help")
      }
      guard let value = parts.count > 1 ? parts[1] : rest.popFirst(), !value.isEmpty else {
        throw .usage("\(parts[0]) needs a value; see todo-net serve --help")
      }
      guard values.updateValue(value, forKey: parts[0]) == nil else { throw .usage("\(parts[0]) is given twice") }
    }
    location = try .find(flag: values["--db"])
    if let listen = values["--listen"] {
      guard let colon = listen.lastIndex(of: ":"), let port = UInt16(listen[listen.index(after: colon)...]),
        colon != listen.startIndex
      else { throw .usage("\"\(listen)\" is no address with a port; write it as 127.0.0.1:8750 or [::1]:8750") }
      let host = listen[..<colon]
      address = host == "localhost" ? "127.0.0.1" : host.trimmingCharacters(in: CharacterSet(charactersIn: "[]"))
      self.port = port
    }
    token = try values["--token-file"].map { path throws(TodoError) in try Self.token(in: path) }
    if token == nil, !isLoopback {
      throw .usage(
        "other computers can reach \(address), so it needs a secret of yours: write one of 16 or more characters into "
          + "a file that only you can read, and name it with --token-file FILE")
    }
  }

  /// Whether only programs on this machine can connect.
  var isLoopback: Bool { address.hasPrefix("127.") || address == "::1" }

  /// The address as a part of a URL.
  var host: String { address.contains(":") ? "[\(address)]" : address }

  private static func token(in path: String) throws(TodoError) -> String {
    var status = stat()
    guard stat(path, &status) == 0, let text = try? String(contentsOfFile: path, encoding: .utf8) else {
      throw .inputOutput("the file \(path) with the token can't be read")
    }
    if status.st_mode & 0o077 != 0 {
      throw .inputOutput("others can read the token in \(path); make it yours alone with: chmod 600 \(path)")
    }
    let token = text.trimmingCharacters(in: .whitespacesAndNewlines)
    guard (16...256).contains(token.utf8.count), token.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
      throw .badData(
        "the token in \(path) must be one line of 16 to 256 ASCII characters without spaces; make one with: "
          + "(umask 077; head -c 24 /dev/urandom | base64 > \(path))")
    }
    return token
  }
}

/// Writes a line to standard error. A line that can't be written is lost.
func log(_ line: String) {
  let bytes = Array("todo-net: \(line)\n".utf8)
  _ = write(2, bytes, bytes.count)
}
