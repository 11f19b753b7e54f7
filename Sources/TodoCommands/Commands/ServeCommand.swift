import TodoCore

/// `todo serve`, which another program does: this one has no network.
enum ServeCommand {
  static let command = Command(
    "serve", "serve the items to browsers and to `todo --remote`", operands: "", flags: [.listen, .tokenFile],
    details: [
      "Prints the address of a page with the live list, and goes on until Ctrl-C. The address is also the URL for "
        + "`todo --remote`. Whoever has the token in it can read and change everything.",
      "With an address other than 127.0.0.1 and [::1] other computers can connect. That needs --token-file, with a "
        + "secret of at least 16 characters in a file that only you can read.",
      "It is run by the program todo-net, which `Scripts/install --net` installs.",
    ],
    place: .machine, passesOn: true,
    examples: [
      .init("todo serve", "print the address, and serve until Ctrl-C"),
      .init("todo serve --listen 127.0.0.1:0", "at a port that is free"),
    ]
  ) { invocation in
    try NetProgram.become(["serve"] + invocation.arguments)
  }
}
