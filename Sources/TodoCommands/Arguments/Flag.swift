/// A flag of a command, such as `--by VIEW`: for the parser, the help, the man page and the completions.
package struct Flag: Sendable {
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
  package let name: String
  /// A second name of one letter, with the hyphen.
  let short: String?
  /// The name of its value in the help, or nil for a flag without a value.
  let value: String?
  /// What it does, in one line.
  let summary: String
  /// What completes its value.
  let completion: Completion
  /// Whether it is about this machine's files, so that no service takes it.
  package let isLocal: Bool

  init(
    _ name: String, short: String? = nil, value: String? = nil, completion: Completion = .nothing,
    isLocal: Bool = false, _ summary: String
  ) {
    self.name = name
    self.short = short
    self.value = value
    self.summary = summary
    self.completion = completion
    self.isLocal = isLocal
  }

  /// Its usage, with the name of its value: `--by VIEW`.
  var usage: String { value.map { "\(name) \($0)" } ?? name }
}

extension Flag {
  static let db = Flag(
    "--db", value: "FILE", completion: .file, isLocal: true, "use this database instead of TODO_DB or the default")
  static let json = Flag("--json", "print JSON, as described in `todo help --man`")
  static let plain = Flag("--plain", "print one line per item, with TABs between fields")
  static let quiet = Flag("--quiet", short: "-q", "print nothing about a change that was made")
  static let help = Flag("--help", short: "-h", "print help for the command, and do nothing else")

  /// The flags of every command.
  static let everywhere = [db, json, plain, quiet, help]

  static let remote = Flag(
    "--remote", value: "URL", "run the command at the service with this address, which `todo serve` has printed")
  static let tokenFile = Flag(
    "--token-file", value: "FILE", completion: .file, "the file with the service's token, unless TODO_TOKEN has it")
  static let caFile = Flag(
    "--ca-file", value: "FILE", completion: .file, "trust the certificates in this file, and not those of the system")
  static let insecure = Flag("--insecure", "send the token and the items unencrypted, for whoever reads the network")

  /// The flags of every command that say which service runs it.
  static let connecting = [remote, tokenFile, caFile, insecure]

  static let listen = Flag(
    "--listen", value: "ADDRESS:PORT", "where to listen: 127.0.0.1:8750 by default; port 0 is any free one")
  static let servedToken = Flag(
    tokenFile.name, value: "FILE", completion: .file,
    "the secret that lets browsers in, instead of a fresh one at each start; only you may be able to read the file")
  static let certificate = Flag(
    "--certificate", value: "FILE", completion: .file, "speak https with this certificate (PEM, up to its root)")
  static let key = Flag(
    "--key", value: "FILE", completion: .file, "the certificate's key (PEM); only you may be able to read it")
  static let url = Flag(
    "--url", value: "URL", "the address that browsers use, if it has another name, as in https://todo.example")
  static let open = Flag("--open", "open the page in the browser of this machine")
  static let log = Flag(
    "--log", value: "FORM", completion: .words(["json", "text"]),
    "json for a line about each request and error, instead of errors as text")

  static let by = Flag(
    "--by", value: "VIEW", completion: .words(["list", "due", "priority", "tag", "none"]),
    "divide into sections by list (the default), due, priority, tag or none")
  static let sort = Flag(
    "--sort", value: "ORDER", completion: .words(["due", "priority", "created", "title"]),
    "within a section, order by due, priority, created or title; -ORDER is the reverse")
  static let reverse = Flag("--reverse", "reverse the order within each section")
  static let limit = Flag("--limit", value: "N", "print at most N")
  static let done = Flag("--done", "done items instead of open ones")
  static let all = Flag("--all", "open and done items")
  static let archived = Flag("--archived", "archived items")
  static let text = Flag(
    "--text", value: "WORDS", "items whose title or notes contain every word, or words that begin with it")

  /// The flags that select items by their state and text.
  static let filters = [done, all, archived, text]

  static let yes = Flag("--yes", short: "-y", "change all items that the filter chooses, without a question")
  /// The flags of commands that change the items of a filter.
  static let changing = filters + [yes]
  static let editor = Flag(
    "--editor", isLocal: true,
    "edit the items as text, a line each, in $VISUAL or $EDITOR; all open items by default")
  static let editNote = Flag("--edit", value: "N", "replace this note, counted from 1 as in `todo show`")
  static let removeNote = Flag("--remove", value: "N", "remove this note")

  static let before = Flag("--before", value: "ID", "before this item")
  static let after = Flag("--after", value: "ID", "after this item")
  static let to = Flag("--to", value: "LIST", completion: .list, "to this list, at its end unless --first is given")
  static let first = Flag("--first", "to the beginning")
  static let last = Flag("--last", "to the end")
  static let beforeList = Flag("--before", value: "LIST", completion: .list, "before this list")
  static let removeTag = Flag("--remove", value: "TAG", "remove this tag; can be repeated")
  static let restore = Flag("--restore", "bring the items back from the archive")

  static let format = Flag(
    "--format", value: "FORMAT", completion: .words(["json", "todotxt", "taskwarrior", "markdown", "csv"]),
    "json, todotxt, taskwarrior, markdown or csv; by default, as the content says")
  static let ids = Flag("--ids", "write the UUIDs of the items too, so that import --update finds them")
  static let dryRun = Flag("--dry-run", "only print what would be imported")
  static let update = Flag("--update", "replace existing items that have other content")
  static let skip = Flag("--skip", "skip a change that can't be undone or redone; nothing else changes")
  static let only = Flag(
    "--only", value: "N", "only if the next one is the change N of `todo log`; otherwise nothing changes")
  static let man = Flag("--man", "print the man page")
}
