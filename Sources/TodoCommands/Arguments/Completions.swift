import TodoCore

/// What can follow the words that were typed after `todo`. The scripts of all shells ask for it.
struct Completer {
  typealias Candidate = (word: String, about: String)

  private var operands: [String] = []
  private var database: String?
  /// The flag whose value is being typed.
  private var flag: Flag?
  private var isText = false
  /// The last word up to the cursor, without `--flag=` before a value.
  private var typed: String
  private var prefix = ""

  init(_ words: [String]) {
    var rest = words.dropLast()
    typed = words.last ?? ""
    let parser = ArgumentParser(Command.all)
    func divided(_ word: String) -> (flag: Flag?, value: String?) {
      let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      return (parts.first.flatMap { parser.flag(named: $0) }, parts.count > 1 ? parts[1] : nil)
    }
    while let word = rest.popFirst(), !isText {
      let (found, value) = divided(word)
      if word == "--" { isText = true }
      if !word.hasPrefix("-") { operands.append(word) }
      guard let found, found.value != nil else { continue }
      guard let value = value ?? rest.popFirst() else {
        flag = found
        break
      }
      if found.name == Flag.db.name { database = value }
    }
    if flag == nil, !isText, case (let found?, let value?) = divided(typed), found.value != nil {
      flag = found
      (prefix, typed) = (found.name + "=", value)
    }
  }

  /// The words that begin as the one typed; nil if the name of a file is expected.
  var candidates: [Candidate]? {
    all?.filter { $0.word.hasPrefix(typed) }.map { (prefix + $0.word, $0.about) }
  }

  private var all: [Candidate]? {
    if isText { return [] }
    let named = Command.all.first { $0.name == operands.first }
    let command = named?.subcommands.first { operands.count > 1 && $0.name == operands[1] } ?? named
    let flags: [Candidate] = ((command?.allFlags ?? Flag.everywhere) + Flag.connecting).map { ($0.name, $0.summary) }
    if let flag {
      switch (command?.allFlags.first { $0.name == flag.name } ?? flag).completion {
      case .words(let words): return words.map { ($0, "") }
      case .file: return nil
      case .list: return lists
      case .nothing: return []
      }
    }
    guard let command else { return operands.isEmpty ? commands + flags : [] }
    switch command.completion {
    case .nothing: return flags
    case .words(let words): return words.map { ($0, "") } + flags
    case .commands: return commands + HelpTopic.all.map { ($0.name, $0.summary) } + flags
    case .files: return typed.hasPrefix("-") ? flags : nil
    case .lists: return lists + flags
    case .items(let done):
      let numbers = numbers(done)
      // They would drown in all other words.
      return typed.isEmpty && !numbers.isEmpty ? numbers : numbers + tokens(of: command) + flags
    case .filters: return saved + flags
    case .tokens: return tokens(of: command) + flags
    }
  }

  private func tokens(of command: Command) -> [Candidate] {
    // Only commands that filter take the words that filter.
    let filters: [Candidate] =
      command.flags.contains { $0.name == Flag.text.name }
      ? Self.filters.map { ($0, "") } + saved.map { (":\($0.word)", $0.about) } : []
    // In `add` and `edit`, an argument with blanks is a token only behind a keyword.
    let named: [Candidate] = lists.map {
      ((filters.isEmpty || command.name == "edit") && $0.word.contains(" ") ? "list:\($0.word)" : "+\($0.word)", "")
    }
    return Self.keywords.map { ($0, "") } + filters + named + tags
  }

  /// The numbers of items, with their titles.
  private func numbers(_ isDone: Bool) -> [Candidate] {
    asked { try $0.titles(isDone: isDone, ofNumbersBeginning: typed) }.map { ("\($0.id)", $0.title.visible) }
  }

  private var commands: [Candidate] { Command.all.map { ($0.name, $0.summary) } }

  private static let keywords =
    Keyword.all.flatMap { keyword in keyword.values.map { "\(keyword.name):\($0)" } } + ["!high", "!medium", "!low"]

  private static let filters = ["due:this-week", "due:next-week", "due:none", "due:any", "done:today", "not", "or"]

  private var saved: [Candidate] {
    asked { try $0.savedFilters() }.map { ($0.name.visible, $0.words.joined(separator: " ").visible) }
  }

  /// The lists of the database that the words select. A database that can't be read has none here.
  private var lists: [Candidate] { asked { try $0.lists() }.map { ($0.name.visible, "") } }

  private var tags: [Candidate] {
    asked { try $0.statistics().tags }.filter { $0.name != SectionNames.untagged }.map { ("@\($0.name.visible)", "") }
  }

  private func asked<Answer>(_ ask: (TodoStore) throws -> [Answer]) -> [Answer] {
    guard let location = try? DatabaseLocation.find(flag: database), let store = try? TodoStore.openToRead(location)
    else { return [] }
    defer { store.finish() }
    return (try? ask(store)) ?? []
  }
}

/// The shells that complete words, and how each passes them on.
enum Shell: String, CaseIterable {
  case bash, zsh, fish

  /// The script that the shell loads.
  var script: String {
    switch self {
    case .bash:
      #"""
      # Completes what is typed after todo, in bash. Made by: todo completion bash
      _todo() {
        local line
        COMPREPLY=()
        while IFS= read -r line; do
          if [[ $line == / ]]; then compopt -o default 2>/dev/null; else COMPREPLY+=("$line"); fi
        done < <(todo completion bash -- "${COMP_LINE:0:COMP_POINT}" "$COMP_WORDBREAKS" 2>/dev/null)
      }
      complete -F _todo todo

      """#
    case .zsh:
      #"""
      #compdef todo
      # Completes what is typed after todo, in zsh. Made by: todo completion zsh
      _todo() {
        local -a typed lines
        typed=("${(@Q)words[2,CURRENT]}")
        typed[CURRENT-1]=${(Q)PREFIX}
        lines=("${(@f)$(todo completion zsh -- "${(@)typed}" 2>/dev/null)}")
        if [[ $lines[1] == / ]]; then
          compset -P '--*='
          _files
        elif [[ -n $lines[1] ]]; then
          _describe todo lines
        fi
      }
      if [ "$funcstack[1]" = _todo ]; then _todo "$@"; else compdef _todo todo; fi

      """#
    case .fish:
      #"""
      # Completes what is typed after todo, in fish. Made by: todo completion fish
      function __todo_complete
          set -l typed (commandline -opc)
          set -e typed[1]
          set -l current (commandline -ct | string replace -r '^["\']' '' | string replace -a '\\' '')
          set -l lines (todo completion fish -- $typed "$current" 2>/dev/null)
          if test "$lines" = /
              set -l flag (string match -r -- '^--[^=]*=' "$current")
              printf '%s\n' "$flag"(__fish_complete_path (string replace -r -- '^--[^=]*=' '' "$current"))
          else
              printf '%s\n' $lines
          end
      end
      complete -c todo -f -a '(__todo_complete)'

      """#
    }
  }

  /// The lines that answer a script: a candidate each, or a slash alone for the name of a file.
  func lines(_ words: [String]) -> [String] {
    var last = BashWord()
    var words = words
    if self == .bash {
      let line = BashWord.split(words.first ?? "", breaks: words.dropFirst().first ?? "")
      words = line.dropFirst().map(\.text)
      last = line.last ?? last
    }
    guard let candidates = Completer(words).candidates else { return ["/"] }
    return candidates.map { word, about in
      switch self {
      case .bash where candidates.count > 1 && Int(word) != nil:
        // What bash inserts is the common beginning, so the title is only shown.
        "\(word)  \(about)"
      case .bash: last.quoted(word)
      case .zsh: word.replacing("\\", with: "\\\\").replacing(":", with: "\\:") + (about.isEmpty ? "" : ":\(about)")
      case .fish: about.isEmpty ? word : "\(word)\t\(about)"
      }
    }
  }
}

/// A word of a line of bash.
private struct BashWord {
  /// The word without its quotes and backslashes.
  var text = ""
  /// How much of it comes before the last sign, such as a colon, after which bash begins another word.
  private var start = 0
  /// The quote that is still open at its end.
  private var quote: Character?

  /// The words of a line up to the cursor; the last one is empty after a blank.
  static func split(_ line: String, breaks: String) -> [BashWord] {
    var words = [BashWord()]
    var isEscaped = false
    for character in line {
      let quote = words[words.count - 1].quote
      if !isEscaped, character == "\\", quote != "'" {
        isEscaped = true
      } else if !isEscaped, character == quote {
        words[words.count - 1].quote = nil
      } else if !isEscaped, quote == nil, character == "'" || character == "\"" {
        words[words.count - 1].quote = character
      } else if !isEscaped, quote == nil, character.isWhitespace {
        words.append(BashWord())
      } else {
        words[words.count - 1].text.append(character)
        if !isEscaped, quote == nil, ":=".contains(character), breaks.contains(character) {
          words[words.count - 1].start = words[words.count - 1].text.count
        }
        isEscaped = false
      }
    }
    return words.map(\.withHome)
  }

  /// Bash replaces ~ only at the beginning of a word.
  private var withHome: BashWord {
    guard text.hasPrefix("~/"), let home = System.environment("HOME") else { return self }
    var word = self
    word.text = home + text.dropFirst()
    return word
  }

  /// A candidate in place of the word, in the same quotes, and as far as bash replaces it.
  func quoted(_ candidate: String) -> String {
    let rest = candidate.dropFirst(start)
    switch quote {
    case "'": return String(rest.replacing("'", with: "'\\''"))
    case nil: return rest.map { $0.isLetter || $0.isNumber || "+@%:=,./_-".contains($0) ? "\($0)" : "\\\($0)" }.joined()
    default: return rest.map { "\"\\$`".contains($0) ? "\\\($0)" : "\($0)" }.joined()
    }
  }
}
