import TodoCore

/// `todo completion`.
enum CompletionCommand {
  private static let shells = Shell.allCases.map(\.rawValue)

  static let command = Command(
    "completion", "print a completion script for a shell", operands: "bash|zsh|fish",
    details: [
      "For bash, put the line eval \"$(todo completion bash)\" into ~/.bashrc. For zsh, save the script as _todo in a "
        + "folder of $fpath. For fish, save it as ~/.config/fish/completions/todo.fish. Scripts/install does this for "
        + "you.",
      "The script asks the program what can follow the words typed, which are then arguments after --.",
    ],
    completion: .words(shells), place: .machine,
    examples: [
      .init("todo completion bash", "for bash"), .init("todo completion zsh", "for zsh"),
      .init("todo completion fish", "for fish"),
    ]
  ) { invocation in
    guard invocation.operands.count <= 1, let name = invocation.operands.first else {
      throw TodoError.usage("`todo completion` needs a shell: bash, zsh or fish, as in: todo completion bash")
    }
    guard let shell = Shell(rawValue: name) else {
      throw TodoError.usage(
        "there is no completion for \"\(name)\""
          + Suggestion.clause(for: name, among: shells, otherwise: "choose bash, zsh or fish"))
    }
    let words = invocation.literal
    let text = words.isEmpty ? shell.script : shell.lines(words).map { $0 + "\n" }.joined()
    let output = Output()
    if invocation.form == .json {
      try Documents.print([("shell", .string(name)), ("completion", .string(text))], to: output)
    } else {
      try output.print(text)
    }
    try output.flush()
    return 0
  }
}
