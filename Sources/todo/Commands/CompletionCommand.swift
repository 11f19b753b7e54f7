import TodoCore

/// `todo completion`.
enum CompletionCommand {
  private static let shells = ["bash", "zsh", "fish"]

  static let command = Command(
    "completion", "print a completion script for a shell", operands: "bash|zsh|fish",
    details: [
      "For bash, put the line eval \"$(todo completion bash)\" into ~/.bashrc. For zsh, save the script as _todo in a "
        + "folder of $fpath. For fish, save it as ~/.config/fish/completions/todo.fish. Scripts/install does this for "
        + "you."
    ],
    completion: .words(shells),
    examples: [
      .init("todo completion bash", "for bash"), .init("todo completion zsh", "for zsh"),
      .init("todo completion fish", "for fish"),
    ]
  ) { invocation in
    let shell = try invocation.takeOne("a shell: bash, zsh or fish", example: "todo completion bash")
    let text =
      switch shell {
      case "bash": BashCompletion.text
      case "zsh": ZshCompletion.text
      case "fish": FishCompletion.text
      default:
        let suggestion = Suggestion.clause(for: shell, among: shells)
        throw TodoError.usage(
          "there is no completion for \"\(shell)\"" + (suggestion.isEmpty ? "; choose bash, zsh or fish" : suggestion))
      }
    let output = Output()
    if invocation.form == .json {
      try Documents.print([("shell", .string(shell)), ("completion", .string(text))], to: output)
    } else {
      try output.print(text)
    }
    try output.flush()
    return 0
  }
}
