/// `todo version`.
enum VersionCommand {
  static let command = Command(
    "version", "print the version of the program", place: .anywhere,
    examples: [.init("todo version", "which version this is")]
  ) { invocation in
    let output = Output()
    switch invocation.form {
    case .json: try output.line("{\"schema\":1,\"version\":\"\(Program.version)\"}")
    case .text, .plain: try output.line("todo \(Program.version)")
    }
    try output.flush()
    return 0
  }
}
