package import TodoCore

/// `todo serve`, which another program does: this one has no network.
package enum ServeCommand {
  static let command = Command(
    "serve", "serve the items to browsers and to `todo --remote`",
    flags: [.listen, .servedToken, .certificate, .key, .url, .open, .log],
    details: [
      "Prints the address of a page with the live list, and goes on until Ctrl-C. The address is also the URL for "
        + "`todo --remote`. Whoever has the token in it can read and change everything.",
      "With an address other than 127.0.0.1 and [::1] other computers can connect. That needs --token-file, and a "
        + "certificate, or else whoever reads the network reads the lists.",
      "It is run by the program todo-net, which `Scripts/install --net` installs.",
    ],
    place: .machine,
    examples: [
      .init("todo serve", "print the address, and serve until Ctrl-C"),
      .init("todo serve --listen 127.0.0.1:0", "at a port that is free"),
    ]
  ) { invocation in
    let flags = invocation.flags.flatMap { name, values in
      values.map {
        invocation.command.allFlags.contains { $0.name == name && $0.value == nil } ? name : "\(name)=\($0)"
      }
    }
    try NetProgram.become(["serve"] + flags)
  }

  /// The values of the flags in the arguments after `serve`, by their names; an empty one for a flag that takes none.
  package static func values(_ arguments: [String]) throws(TodoError) -> [String: String] {
    let invocation = try ArgumentParser([command]).parse([command.name] + arguments)
    try invocation.takeNone()
    for (name, values) in invocation.flags where values.count > 1 { throw .usage("\(name) is given twice") }
    return invocation.flags.compactMapValues(\.last)
  }
}
