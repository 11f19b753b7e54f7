import FetchedResultsSupport
import TodoCommands
import TodoCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The options of `todo serve`, which its command declares.
struct ServeOptions {
  var location: DatabaseLocation
  var address = "127.0.0.1"
  var port: UInt16 = 8750
  /// The token of the user's file; nil for a fresh one.
  var token: String?
  /// The certificate and its key, in PEM.
  var encryption: (certificate: String, key: String)?
  /// The address that browsers use, such as `https://todo.example`, if it's another one.
  var url: String?
  var opens = false
  var logsJSON = false

  /// - Parameter arguments: What follows `serve`.
  init(_ arguments: [String]) throws(TodoError) {
    let values = try ServeCommand.values(arguments)
    opens = values["--open"] != nil
    location = try .find(flag: values["--db"])
    if let listen = values["--listen"] {
      guard let colon = listen.lastIndex(of: ":"), let port = UInt16(listen[listen.index(after: colon)...]),
        colon != listen.startIndex
      else { throw .usage("\"\(listen)\" is no address with a port; write it as 127.0.0.1:8750 or [::1]:8750") }
      let host = listen[..<colon]
      address = host == "localhost" ? "127.0.0.1" : host.filter { !"[]".contains($0) }
      self.port = port
    }
    token = try values["--token-file"].map { path throws(TodoError) in try Self.token(in: path) }
    if token == nil, !isLoopback {
      throw .usage(
        "other computers can reach \(address), so it needs a secret of yours: write one of 16 or more characters into "
          + "a file that only you can read, and name it with --token-file FILE")
    }
    switch (values["--certificate"], values["--key"]) {
    case (let certificate?, let key?):
      encryption = (try Self.read(certificate, "certificate"), try Self.secret(in: key, "key"))
    case (nil, nil): break
    default: throw .usage("--certificate FILE and --key FILE belong together; give both")
    }
    url = try values["--url"].map { text throws(TodoError) in try Self.url(text) }
    if let log = values["--log"] {
      guard ["json", "text"].contains(log) else { throw .usage("--log is json or text, and not \"\(log)\"") }
      logsJSON = log == "json"
    }
  }

  /// Whether only programs on this machine can connect.
  var isLoopback: Bool { address.hasPrefix("127.") || address == "::1" }

  /// The address as a part of a URL.
  var host: String { address.contains(":") ? "[\(address)]" : address }

  /// Whether browsers speak https with it, or with a proxy before it.
  var isEncrypted: Bool { encryption != nil || url?.hasPrefix("https:") == true }

  /// Whether it is for a proxy on this machine, which browsers speak to.
  var isBehindProxy: Bool { url != nil && encryption == nil && isLoopback }

  /// The address of a page without its slash at the end, in lower case.
  private static func url(_ text: String) throws(TodoError) -> String {
    let parts = URLComponents(string: text.lowercased())
    guard let parts, ["http", "https"].contains(parts.scheme), let host = parts.host, !host.isEmpty,
      ["", "/"].contains(parts.path), parts.query == nil, parts.fragment == nil, parts.user == nil
    else { throw .usage("\"\(text)\" is no address of a page; write it as https://todo.example or with a port") }
    return parts.path.isEmpty ? text.lowercased() : String(text.lowercased().dropLast())
  }

  private static func read(_ path: String, _ what: String) throws(TodoError) -> String {
    guard let text = try? String(contentsOfFile: path, encoding: .utf8) else {
      throw .inputOutput("the file \(path) with the \(what) can't be read")
    }
    return text
  }

  private static func secret(in path: String, _ what: String) throws(TodoError) -> String {
    let text = try read(path, what)
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & 0o077 == 0 else {
      throw .inputOutput("others can read the \(what) in \(path); make it yours alone with: chmod 600 \(path)")
    }
    return text
  }

  private static func token(in path: String) throws(TodoError) -> String {
    let token = String(try secret(in: path, "token").trimmed)
    guard (16...256).contains(token.utf8.count), token.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
      throw .badData(
        "the token in \(path) must be one line of 16 to 256 ASCII characters without spaces; make one with: "
          + "(umask 077; head -c 24 /dev/urandom | base64 > \(path))")
    }
    return token
  }
}
