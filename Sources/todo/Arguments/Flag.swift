/// A flag of a command, such as `--by VIEW`: for the parser, the help, the man page and the completions.
struct Flag: Sendable {
  /// What is completed for a value.
  enum Completion: Sendable {
    /// One of these words.
    case words([String])
    /// A file.
    case file
    /// The name of a list.
    case list
    /// Nothing that can be completed.
    case nothing
  }

  /// Its name, with the hyphens.
  let name: String
  /// A second name of one letter, with the hyphen.
  let short: String?
  /// The name of its value in the help, or nil for a flag without a value.
  let value: String?
  /// What it does, in one line.
  let summary: String
  /// What completes its value.
  let completion: Completion

  init(
    _ name: String, short: String? = nil, value: String? = nil, completion: Completion = .nothing, _ summary: String
  ) {
    self.name = name
    self.short = short
    self.value = value
    self.summary = summary
    self.completion = completion
  }

  /// Its usage, with the name of its value: `--by VIEW`.
  var usage: String { value.map { "\(name) \($0)" } ?? name }
}

extension Flag {
  static let db = Flag("--db", value: "FILE", completion: .file, "the database, instead of TODO_DB or the usual place")
  static let json = Flag("--json", "print JSON, in the shape that `todo help --man` describes")
  static let plain = Flag("--plain", "print one line an item, its fields apart by TABs")
  static let help = Flag("--help", short: "-h", "print the help of the command, and do nothing else")

  /// The flags of every command.
  static let everywhere = [db, json, plain, help]

  static let by = Flag(
    "--by", value: "VIEW", completion: .words(["list", "due", "priority", "tag"]),
    "cut into sections by list (as it is without), due, priority or tag")
  static let limit = Flag("--limit", value: "N", "print at most so many")
  static let done = Flag("--done", "those that are done, instead of the open ones")
  static let all = Flag("--all", "open and done ones")
  static let archived = Flag("--archived", "those that are archived")
  static let text = Flag(
    "--text", value: "WORDS", "those in whose title or notes each of these words stands or begins a word")

  /// The flags that select items by their state and text.
  static let filters = [done, all, archived, text]

  static let before = Flag("--before", value: "ID", "to the place before this item")
  static let after = Flag("--after", value: "ID", "to the place behind this item")
  static let to = Flag("--to", value: "LIST", completion: .list, "to this list, at its end unless --first is said")
  static let first = Flag("--first", "to the beginning")
  static let last = Flag("--last", "to the end")
  static let beforeList = Flag("--before", value: "LIST", completion: .list, "to the place before this list")
  static let removeTag = Flag("--remove", value: "TAG", "take this tag away; may be said several times")
  static let restore = Flag("--restore", "take them out of the archive again")

  static let format = Flag(
    "--format", value: "FORMAT", completion: .words(["json", "todotxt", "taskwarrior", "markdown", "csv"]),
    "json, todotxt, taskwarrior, markdown or csv; without, as the file's name says")
  static let dryRun = Flag("--dry-run", "only tell what would be imported")
  static let update = Flag("--update", "replace items that are here with other content")
  static let skip = Flag("--skip", "go past a change that can't be taken back or done again; nothing else changes")
  static let man = Flag("--man", "print the man page")
}
