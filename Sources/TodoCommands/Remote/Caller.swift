import TodoCore

/// Who has asked a service for this command: the terminals, settings and answers that the command uses in place of its
/// own. The service passes them on as variables of the environment.
struct Caller: Sendable {
  /// The variables that a caller sends.
  enum Variable: String, CaseIterable {
    /// The columns of the terminals at the standard input, output and error, or "-": `80 80 -`. It is set in every
    /// command that a service runs.
    case terminals = "TODO_CALLER"
    /// Lines of the config file.
    case settings = "TODO_SETTINGS"
    /// A letter and the key of its question each: `y:8f0c2e n:77ab`.
    case answers = "TODO_ANSWERS"
    case terminal = "TERM"
    case withoutColors = "NO_COLOR"
    case zone = "TZ"
  }

  /// The caller of this process; nil if no service runs it.
  static let current = System.environment(Variable.terminals.rawValue).map(Caller.init)

  /// The exit code of a command that needs an answer. Its output is then the key of the question.
  static let needsAnswerCode: Int32 = 200

  private let columns: [Int?]

  private init(terminals: String) { columns = terminals.split(separator: " ").map { Int($0) } }

  /// The number of columns of the terminal at a descriptor; nil if it is no terminal.
  func columns(of descriptor: Int32) -> Int? {
    columns.indices.contains(Int(descriptor)) ? columns[Int(descriptor)] : nil
  }

  /// The answer to a question that is asked about items. If it was not sent, this ends the command: the caller asks,
  /// and sends the command again. Another number of items, or other ones, make it another question.
  func answer(_ question: String, _ letters: String, about ids: [Int64], _ ask: () -> Void) -> Character {
    let key = String(
      "\(question)\(ids)".utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }, radix: 16)
    for answer in (System.environment(Variable.answers.rawValue) ?? "").split(separator: " ") {
      if let letter = answer.first, letters.contains(letter), answer.dropFirst(2) == key { return letter }
    }
    ask()
    System.exit {
      _ = Array(key.utf8).withUnsafeBytes { System.write($0, to: 1) }
      return Self.needsAnswerCode
    }
  }

  /// What this process sends as a caller.
  static func variables() throws(TodoError) -> [(Variable, String)] {
    let settings = try Settings.current.get()
    let lines = Setting.all.filter { !$0.isLocal && settings.lines[$0.name] != nil }
      .map { "\($0.name) = \($0.get(settings))\n" }
    let terminals = (0...2 as ClosedRange<Int32>).map { System.columns(of: $0).map(String.init) ?? "-" }
    var variables: [(Variable, String)] = [(.terminals, terminals.joined(separator: " ")), (.zone, LocalZone.variable)]
    if !lines.isEmpty { variables.append((.settings, lines.joined())) }
    for variable in [Variable.terminal, .withoutColors] {
      if let value = System.environment(variable.rawValue) { variables.append((variable, value)) }
    }
    return variables
  }
}

extension LocalZone {
  /// The zone of this process as a value of TZ: its name or, if it has none, how far it is ahead of UTC now.
  fileprivate static var variable: String {
    if let name = Platform.zoneName { return name }
    let seconds = LocalZone.system.offset(at: .now)
    // By POSIX, the sign says how far UTC is ahead.
    return "<local>\(seconds > 0 ? "-" : "+")\(abs(seconds) / 3600):\(abs(seconds) / 60 % 60)"
  }
}
