import FetchedResultsSupport
import TodoCore

/// The service that runs commands instead of this program: that of `--remote`, or TODO_REMOTE, or the config file.
package struct RemoteAddress: Sendable {
  /// The address without a token and without a slash at its end.
  package let url: String
  package let token: String?
  /// The file with the certificates to trust.
  package let certificates: String?
  private let isInsecure: Bool

  /// Nil if the command runs here: no service is named, or only a default one, and the command is not for it.
  ///
  /// - Parameter isChosen: Whether a service was chosen already, whatever the command is.
  init?(_ invocation: Invocation, isChosen: Bool = false) throws(TodoError) {
    let typed = invocation.value(.remote)
    let isForService = [.service, .terminal, .files].contains(invocation.command.place) && !invocation.has(.db)
    guard typed != nil || isChosen || isForService else { return nil }
    var named = typed ?? System.environment(Self.variable)
    if named == nil { named = try Settings.current.get().remote }
    guard let address = named else {
      if let flag = Flag.connecting.first(where: invocation.has) {
        throw .usage("\(flag.name) is for a service; name it with --remote URL")
      }
      return nil
    }
    let (url, query) = Self.divided(address)
    let (scheme, host) = try Self.parts(of: url)
    self.url = url
    certificates = invocation.value(.caFile)
    isInsecure = invocation.has(.insecure)
    if scheme == "http", !Self.isLoopback(host), !isInsecure {
      throw .usage(
        "\(self.url) is not encrypted: whoever reads the network can take the token, and then read and change everything; "
          + "use an address with https, or add --insecure if you trust the network")
    }
    if let path = invocation.value(.tokenFile) {
      token = try Self.token(in: path)
    } else if let said = query.split(separator: "&").first(where: { $0.hasPrefix("token=") }) {
      token = String(said.dropFirst(6))
    } else if let said = System.environment(Self.tokenVariable),
      System.environment(Self.variable).map({ Self.divided($0).url == url }) != false
    {
      token = said
    } else if let path = try Settings.current.get().tokenFile,
      try Settings.current.get().remote.map({ Self.divided($0).url == url }) == true
    {
      // Another service must not get the token of this one.
      token = try Self.token(in: path)
    } else {
      token = nil
    }
    if token?.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) == false {
      throw .usage("the service's token can have no spaces and no letters beyond ASCII; copy it again")
    }
  }

  /// Runs a command there, by the program that has a network.
  func run(_ invocation: Invocation) throws(TodoError) -> Never {
    // Not in the arguments, which others on this machine can read.
    setenv(Self.variable, url, 1)
    setenv(Self.tokenVariable, token ?? "", 1)
    let flags = (certificates.map { [Flag.caFile.name, $0] } ?? []) + (isInsecure ? [Flag.insecure.name] : [])
    try NetProgram.become(["remote"] + flags + invocation.arguments)
  }

  private static let variable = "TODO_REMOTE"
  private static let tokenVariable = "TODO_TOKEN"

  /// The address without its query and without a slash at its end, and the query.
  static func divided(_ address: String) -> (url: String, query: String) {
    let url = address.prefix { $0 != "?" }
    return (String(url.last == "/" ? url.dropLast() : url), String(address.dropFirst(url.count + 1)))
  }

  private static func parts(of url: String) throws(TodoError) -> (scheme: String, host: String) {
    let scheme = ["https", "http"].first { url.lowercased().hasPrefix("\($0)://") }
    let authority = url.dropFirst((scheme?.count ?? 0) + 3).prefix { $0 != "/" && $0 != "#" }
    guard let scheme, !authority.isEmpty, !authority.contains("@"),
      url.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
    else {
      throw .usage(
        "\"\(url)\" is no address of a service; use the one that `todo serve` prints, as in: "
          + "--remote http://127.0.0.1:8750")
    }
    if authority.first == "[" { return (scheme, String(authority.dropFirst().prefix { $0 != "]" })) }
    return (scheme, String(authority.prefix { $0 != ":" }))
  }

  private static func isLoopback(_ host: String) -> Bool {
    host == "localhost" || host == "::1" || (host.hasPrefix("127.") && host.allSatisfy { $0.isNumber || $0 == "." })
  }

  private static func token(in path: String) throws(TodoError) -> String {
    let token = String(decoding: try System.read(path), as: UTF8.self)
    let trimmed = Substring(token).trimmed
    if trimmed.isEmpty { throw .badData("there is no token in \(path); write that of the service into it") }
    return String(trimmed)
  }
}

extension Invocation {
  /// Throws if a service can't run the command.
  ///
  /// - Parameter isHere: Whether this is the service's machine, and not the one of the terminal.
  func checkRemote(isHere: Bool) throws(TodoError) {
    var what: String?
    switch command.place {
    case .service, .anywhere: break
    case .terminal: if isHere { what = "`\(fullName)`" }
    case .files, .machine: what = "`\(fullName)`"
    }
    if let flag = command.allFlags.first(where: { $0.isLocal && has($0) }) {
      what = flag.name == Flag.db.name ? "`\(flag.name)`" : "`\(fullName) \(flag.name)`"
    }
    if let what { throw .usage("\(what) works on this machine's files only; run it where the database is") }
  }
}
