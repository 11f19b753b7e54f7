import TodoCore

/// `todo completion`.
enum CompletionCommand {
  private static let shells = ["bash", "zsh", "fish"]

  static let command = Command(
    "completion", "print what makes a shell complete what is typed", operands: "bash|zsh|fish",
    details: [
      "For bash, put the line eval \"$(todo completion bash)\" into ~/.bashrc. For zsh, write it to a file _todo in a folder "
        + "of $fpath. For fish, write it to ~/.config/fish/completions/todo.fish. Scripts/install does all of this."
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
