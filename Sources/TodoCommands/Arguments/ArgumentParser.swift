import TodoCore

/// Parses the arguments of the program.
///
/// Flags may be anywhere before `--`, also before the command. An argument that begins like a flag and contains a space
/// is text.
struct ArgumentParser {
  private let commands: [Command]

  init(_ commands: [Command]) { self.commands = commands }

  /// The flag of any command with a name. A flag takes a value in all commands, or in none.
  func flag(named name: String) -> Flag? {
    let flags = commands.flatMap { $0.flags + $0.subcommands.flatMap(\.flags) } + Flag.everywhere + Flag.connecting
    return flags.first { $0.name == name || $0.short == name }
  }

  /// A flag that was typed.
  private struct Said {
    var typed: String
    var flag: Flag?
    var value: String?
  }

  /// Parses what was typed. Without a command it is `list`.
  func parse(_ arguments: [String]) throws(TodoError) -> Invocation {
    var operands: [String] = []
    var literal: [String] = []
    var said: [Said] = []
    var forService: [String] = []
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      if argument == "--" {
        literal = Array(rest)
        forService += [argument] + literal
        break
      }
      guard Self.looksLikeFlag(argument) else {
        operands.append(argument)
        forService.append(argument)
        continue
      }
      let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      let flag = flag(named: parts[0])
      var value = parts.count > 1 ? parts[1] : nil
      var words = [argument]
      if let flag, flag.value != nil, value == nil, let next = rest.first, next != "--" {
        value = next
        words.append(rest.removeFirst())
      }
      if !Flag.connecting.contains(where: { $0.name == flag?.name }) { forService += words }
      said.append(Said(typed: parts[0], flag: flag, value: value))
    }
    let isNamed = !operands.isEmpty
    var invocation = try find(&operands)
    invocation.isNamed = isNamed
    invocation.arguments = forService
    invocation.operands = operands
    invocation.literal = literal
    for one in said { try take(one, &invocation) }
    if invocation.has(.json), invocation.has(.plain) {
      throw .usage("--json and --plain can't both be had; leave one of the two out")
    }
    return invocation
  }

  /// A single hyphen is an operand, the standard input.
  private static func looksLikeFlag(_ argument: String) -> Bool {
    guard argument.utf8.first == UInt8(ascii: "-"), argument.utf8.count > 1 else { return false }
    return !argument.prefix { $0 != "=" }.contains(where: \.isWhitespace)
  }

  /// The command that the first operands name; they are removed from the operands.
  private func find(_ operands: inout [String]) throws(TodoError) -> Invocation {
    let name = operands.first ?? "list"
    guard let command = commands.first(where: { $0.name == name }) else { throw unknown(name) }
    if !operands.isEmpty { operands.removeFirst() }
    guard !command.subcommands.isEmpty, let second = operands.first else { return Invocation(command: command) }
    guard let subcommand = command.subcommands.first(where: { $0.name == second }) else {
      let names = command.subcommands.map(\.name)
      throw .usage(
        "`todo \(name)` knows no \"\(second)\""
          + suggestion(second, among: names, after: "todo \(name) ", "it knows \(names.joined(separator: ", "))"))
    }
    operands.removeFirst()
    return Invocation(command: subcommand, parent: command)
  }

  /// What other programs call our commands.
  private static let namesElsewhere = [
    "rm": ["remove"], "remove": ["rm"], "delete": ["rm", "remove"], "del": ["rm", "remove"], "ls": ["list"],
    "mv": ["move", "rename"], "move": ["reorder"], "new": ["add"], "create": ["add"], "complete": ["done"],
    "do": ["done"], "find": ["search"], "modify": ["edit"],
  ]

  private func unknown(_ name: String) -> TodoError {
    if let first = name.first, "+@!:".contains(first) || Keyword.begins(name) {
      return .usage("\"\(name)\" is no command; did you mean \"todo list \(name)\"?")
    }
    return .usage(
      "there is no command \"\(name)\""
        + suggestion(name, among: commands.map(\.name), after: "todo ", "`todo help` shows those there are"))
  }

  private func suggestion(
    _ typed: String, among names: [String], after command: String, _ otherwise: String
  ) -> String {
    if let ours = Self.namesElsewhere[typed]?.first(where: names.contains) {
      return "; did you mean \"\(command)\(ours)\"?"
    }
    return Suggestion.clause(for: typed, among: names, otherwise: otherwise)
  }

  private func take(_ said: Said, _ invocation: inout Invocation) throws(TodoError) {
    let command = invocation.command
    guard let flag = said.flag, (command.allFlags + Flag.connecting).contains(where: { $0.name == flag.name }) else {
      let full = (invocation.parent.map { "\($0.name) " } ?? "") + command.name
      let rest = said.typed.dropFirst()
      if let sign = rest.first, "+@!:".contains(sign), command.flags.contains(where: { $0.name == Flag.text.name }) {
        throw .usage("`todo \(full)` takes no \(said.typed); did you mean \"not \(rest)\"?")
      }
      throw .usage(
        "`todo \(full)` takes no \(said.typed)"
          + Suggestion.clause(
            for: said.typed, among: command.allFlags.map(\.name),
            otherwise: "for text that begins with a hyphen put -- before it"))
    }
    switch (flag.value, said.value) {
    case (nil, _?): throw .usage("\(flag.name) takes no value; leave out the = and what follows it")
    case (let name?, nil): throw .usage("\(flag.name) needs a value, as in: \(flag.name) \(name)")
    case (_, let value): invocation.flags[flag.name, default: []].append(value ?? "")
    }
  }
}
