// The shell completions, made from the declarations of the commands. They ask the program itself for names of lists, in
// the database that the words typed so far select.

/// The token completions, common to all three shells.
private enum Tokens {
  static let fixed =
    ["!high", "!medium", "!low"]
    + ["today", "tomorrow", "mon", "tue", "wed", "thu", "fri", "sat", "sun"].map { "due:\($0)" }
    + ["due:in-3-days", "due:end-of-week", "due:end-of-month"] + ["day", "week", "month", "year"].map { "every:\($0)" }
}

/// bash.
enum BashCompletion {
  static var text: String {
    var text = """
      # Completes what is typed after todo, in bash. Made by: todo completion bash

      _todo_lists() {
        todo "${_todo_db[@]}" lists --plain 2>/dev/null | cut -f 1
      }

      # Puts the words of the line into the array "words", the last of them up to the cursor. Bash divides them also at
      # colons and other signs; a word here ends at a blank.
      _todo_words() {
        local line=${COMP_LINE:0:COMP_POINT} index piece
        words=()
        for ((index = 0; index <= COMP_CWORD; index++)); do
          piece=${COMP_WORDS[index]}
          if ((index == 0)) || [[ $line == [[:space:]]* || -z $line ]]; then
            words+=("")
            line=${line#"${line%%[![:space:]]*}"}
          fi
          ((index < COMP_CWORD)) || piece=$line
          words[${#words[@]}-1]+=$piece
          line=${line#"$piece"}
        done
      }

      # Sets "plain" to what the shell would make of a word: without its quotes and backslashes.
      _todo_unquote() {
        case $1 in
          "'"*) plain=${1#"'"}; plain=${plain%"'"} ;;
          '"'*) plain=${1#'"'}; plain=${plain%'"'} ;;
          '~/'*) plain=$HOME/${1#'~/'} ;;
          *) IFS= read -d '' plain < <(printf '%s\\0' "$1") ;;
        esac
      }

      # Offers what begins as the word typed: one candidate a line, so that names may hold spaces.
      _todo_offer() {
        local candidate quoted
        COMPREPLY=()
        while IFS= read -r candidate; do
          [[ -n $candidate && $candidate == "$current"* ]] || continue
          case $typed in
            "'"*) quoted=${candidate//"'"/"'\\\\''"} ;;
            '"'*) quoted=${candidate//'\\'/'\\\\'}; quoted=${quoted//'"'/'\\"'}; quoted=${quoted//'$'/'\\$'}
              quoted=${quoted//'`'/'\\`'} ;;
            *) printf -v quoted '%q' "$candidate"
              # Bash replaces only what follows the last colon.
              if [[ $COMP_WORDBREAKS == *:* && $typed == *:* ]]; then quoted=${quoted#"${typed%"${typed##*:}"}"}; fi ;;
          esac
          COMPREPLY+=("$quoted")
        done
      }

      # Offers files; bash quotes their names itself.
      _todo_files() {
        compopt -o filenames 2>/dev/null
        COMPREPLY=()
        local file
        while IFS= read -r file; do COMPREPLY+=("$file"); done < <(compgen -f -- "$current")
      }

      _todo() {
        local typed current previous command= sub= index word plain
        local -a words _todo_db=()
        _todo_words
        typed=${words[${#words[@]}-1]} previous=${words[${#words[@]}-2]}
        # The flag may have its value behind a sign of equality.
        if [[ $typed == --*=* ]]; then previous=${typed%%=*} typed=${typed#*=}; fi
        _todo_unquote "$typed"
        current=$plain
        for ((index = 1; index < ${#words[@]} - 1; index++)); do
          word=${words[index]}
          case $word in
            --) return ;;
            --db) _todo_unquote "${words[index+1]}"; _todo_db=(--db "$plain"); ((index++)) ;;
            --db=*) _todo_unquote "${word#--db=}"; _todo_db=(--db "$plain") ;;
            \(valueFlags.joined(separator: "|"))) ((index++)) ;;
            -*) ;;
            *) if [[ -z $command ]]; then command=$word; elif [[ -z $sub ]]; then sub=$word; fi ;;
          esac
        done
        case $previous in

      """
    for (name, words) in wordFlags {
      text += "    \(name)) _todo_offer < <(printf '%s\\n' \(words.joined(separator: " "))); return ;;\n"
    }
    text += "    --db) _todo_files; return ;;\n"
    text += "    --to) _todo_offer < <(_todo_lists); return ;;\n"
    text += "    \(otherValueFlags.joined(separator: "|"))) return ;;\n  esac\n  case $command in\n"
    for command in Command.all {
      text += "    \(command.name))\n"
      if !command.subcommands.isEmpty {
        text += "      case $sub in\n"
        for subcommand in command.subcommands {
          text += "        \(subcommand.name)) \(offer(subcommand)) ;;\n"
        }
        text += "        *) \(offer(command)) ;;\n      esac ;;\n"
      } else {
        text += "      \(offer(command)) ;;\n"
      }
    }
    text +=
      "    *) _todo_offer < <(printf '%s\\n' \((Command.all.map(\.name) + Flag.everywhere.map(\.name)).joined(separator: " "))) ;;\n"
    text += "  esac\n}\n\ncomplete -F _todo todo\n"
    return text
  }

  /// Every flag that takes a value, once.
  private static var valued: [Flag] {
    var seen: Set<String> = []
    return Command.all.flatMap { [$0] + $0.subcommands }.flatMap(\.allFlags).filter {
      $0.value != nil && seen.insert($0.name).inserted
    }
  }

  private static var valueFlags: [String] { valued.map(\.name).filter { $0 != "--db" } }

  private static var wordFlags: [(String, [String])] {
    valued.compactMap { if case .words(let words) = $0.completion { ($0.name, words) } else { nil } }
  }

  private static var otherValueFlags: [String] {
    let known = ["--db", "--to"] + wordFlags.map(\.0)
    return valued.map(\.name).filter { !known.contains($0) }
  }

  /// The line that offers the words that may follow a command.
  private static func offer(_ command: Command) -> String {
    let flags = command.allFlags.map(\.name)
    switch command.completion {
    case .nothing: return words(flags)
    case .words(let operands): return words(operands + flags)
    case .commands: return words(Command.all.map(\.name) + flags)
    case .files:
      return "if [[ $current == -* ]]; then \(words(flags)); else _todo_files; fi"
    case .lists: return "_todo_offer < <(printf '%s\\n' \(flags.joined(separator: " ")); _todo_lists)"
    case .tokens:
      let quoted = (Tokens.fixed + flags).map { "'\($0)'" }.joined(separator: " ")
      return "_todo_offer < <(printf '%s\\n' \(quoted); _todo_lists | sed 's/^/+/')"
    }
  }

  private static func words(_ words: [String]) -> String {
    "_todo_offer < <(printf '%s\\n' \(words.joined(separator: " ")))"
  }
}

/// zsh.
enum ZshCompletion {
  static var text: String {
    var text = """
      #compdef todo
      # Completes what is typed after todo, in zsh. Made by: todo completion zsh

      _todo_lists() {
        local -a lists
        lists=("${(@f)$(todo ${opt_args[--db]:+--db} ${opt_args[--db]} lists --plain 2>/dev/null | cut -f 1)}")
        compadd -- $lists
      }

      _todo_tokens() {
        local -a lists
        lists=("${(@f)$(todo ${opt_args[--db]:+--db} ${opt_args[--db]} lists --plain 2>/dev/null | cut -f 1)}")
        compadd -- ${lists/#/+} \(Tokens.fixed.map { "'\($0)'" }.joined(separator: " "))
      }

      _todo() {
        local -a commands
        local context state state_descr line
        typeset -A opt_args
        commands=(

      """
    for command in Command.all { text += "    \(quoted("\(command.name):\(command.summary)"))\n" }
    text += "  )\n"
    text +=
      "  _arguments -C \(Flag.everywhere.map(argument).joined(separator: " ")) '1:command:->command' '*::argument:->argument'\n"
    text += "  case $state in\n    command) _describe command commands ;;\n    argument)\n      case $line[1] in\n"
    for command in Command.all {
      if command.subcommands.isEmpty {
        text += "        \(command.name)) \(arguments(command)) ;;\n"
        continue
      }
      text += "        \(command.name))\n          case $line[2] in\n"
      for subcommand in command.subcommands {
        text += "            \(subcommand.name)) shift words; ((CURRENT--)); \(arguments(subcommand)) ;;\n"
      }
      text += "            *) \(arguments(command)) ;;\n          esac ;;\n"
    }
    return text
      + "      esac ;;\n  esac\n}\n\nif [ \"$funcstack[1]\" = _todo ]; then _todo \"$@\"; else compdef _todo todo; fi\n"
  }

  private static func arguments(_ command: Command) -> String {
    let operand =
      switch command.completion {
      case .nothing: ""
      case .tokens: " '*:item or token:_todo_tokens'"
      case .files: " '*:file:_files'"
      case .lists: " '*:list:_todo_lists'"
      case .commands: " '*:command:(\(Command.all.map(\.name).joined(separator: " ")))'"
      case .words(let words): " '*:word:(\(words.joined(separator: " ")))'"
      }
    return "_arguments " + command.allFlags.map(argument).joined(separator: " ") + operand
  }

  private static func argument(_ flag: Flag) -> String {
    var text = "\(flag.name)[\(escaped(flag.summary))]"
    if let value = flag.value {
      text = "\(flag.name)=[\(escaped(flag.summary))]:\(value):"
      switch flag.completion {
      case .words(let words): text += "(\(words.joined(separator: " ")))"
      case .file: text += "_files"
      case .list: text += "_todo_lists"
      case .nothing: break
      }
    }
    return quoted(text)
  }

  private static func escaped(_ text: String) -> String {
    text.map { "[]:\\".contains($0) ? "\\\($0)" : String($0) }.joined()
  }

  private static func quoted(_ text: String) -> String {
    "'" + text.map { $0 == "'" ? "'\\''" : String($0) }.joined() + "'"
  }
}

/// fish.
enum FishCompletion {
  static var text: String {
    var text = """
      # Completes what is typed after todo, in fish. Made by: todo completion fish

      function __todo_lists
          set -l words (commandline -opc)
          set -l db
          if set -l place (contains -i -- --db $words)
              set db --db $words[(math $place + 1)]
          end
          todo $db lists --plain 2>/dev/null | string replace -r '\\t.*' ''
      end

      complete -c todo -f

      """
    for flag in Flag.everywhere { text += "complete -c todo\(options(flag))\n" }
    let commands = Command.all.map(\.name).joined(separator: " ")
    for command in Command.all {
      text +=
        "complete -c todo -n 'not __fish_seen_subcommand_from \(commands)' -a \(command.name) -d \(quoted(command.summary))\n"
      let seen = "-n '__fish_seen_subcommand_from \(command.name)'"
      for flag in command.flags + command.subcommands.flatMap(\.flags) {
        text += "complete -c todo \(seen)\(options(flag))\n"
      }
      switch command.completion {
      case .nothing: break
      case .tokens:
        text += "complete -c todo \(seen) -a \(quoted(Tokens.fixed.map { "'\($0)'" }.joined(separator: " ")))\n"
        text += "complete -c todo \(seen) -a '(__todo_lists | string replace -r \"^\" \"+\")'\n"
      case .files: text += "complete -c todo \(seen) -F\n"
      case .lists: text += "complete -c todo \(seen) -a '(__todo_lists)'\n"
      case .commands: text += "complete -c todo \(seen) -a \(quoted(commands))\n"
      case .words(let words): text += "complete -c todo \(seen) -a \(quoted(words.joined(separator: " ")))\n"
      }
    }
    return text
  }

  private static func options(_ flag: Flag) -> String {
    var text = " -l \(flag.name.dropFirst(2))"
    if let short = flag.short { text += " -s \(short.dropFirst())" }
    text += " -d \(quoted(flag.summary))"
    guard flag.value != nil else { return text }
    switch flag.completion {
    case .words(let words): return text + " -x -a \(quoted(words.joined(separator: " ")))"
    case .file: return text + " -r -F"
    case .list: return text + " -x -a '(__todo_lists)'"
    case .nothing: return text + " -x"
    }
  }

  private static func quoted(_ text: String) -> String {
    "'" + text.map { $0 == "'" || $0 == "\\" ? "\\\($0)" : String($0) }.joined() + "'"
  }
}
