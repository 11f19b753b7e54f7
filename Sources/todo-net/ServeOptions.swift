import Foundation
import TodoCore

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
