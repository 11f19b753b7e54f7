import TodoCore

/// The settings of the user's config file.
///
/// ``Setting/all`` is the single declaration of what can be set, for reading the file and for `todo config`.
struct Settings: Sendable {
  /// The list of items that name none.
  var list = TodoStore.defaultList
  /// How lists are divided into sections.
  var view = ItemView.list
  /// Whether colours are used; nil for those terminals that have them.
  var color: Bool?
  /// The first day of the week, and the order of day and month.
  var habits = DateHabits()
  /// Whether commands say nothing of what they have changed.
  var isQuiet = false
  /// The service that runs the commands, and the file with its token.
  var remote: String?
  var tokenFile: String?
  /// The lines of the settings that the file has, by their names.
  private(set) var lines: [String: Int] = [:]

  /// Those of the user's file. Every command reads it at most once.
  static let current = Result { () throws(TodoError) in try read() }

  /// The file: `$XDG_CONFIG_HOME/todo/config`, or the same in ~/.config; nil without a home folder.
  static func path() throws(TodoError) -> String? { try DatabaseLocation.configFile() }

  private static func read() throws(TodoError) -> Settings {
    if Caller.current != nil {
      return try Settings(System.environment(Caller.Variable.settings.rawValue) ?? "", "the caller's settings")
    }
    guard let path = try path(), Platform.status(of: path) != nil else { return Settings() }
    return try Settings(String(decoding: try System.read(path), as: UTF8.self), path)
  }

  /// Reads `key = value` lines. What follows a # at the beginning or after a blank is a comment.
  init(_ text: String, _ path: String) throws(TodoError) {
    // By code points, because a carriage return and a line feed are one character.
    for (index, line) in text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      let line = Substring(line).trimmed.withoutComment
      if line.isEmpty { continue }
      func wrong(_ reason: String) -> TodoError { .badData("\(path), line \(index + 1): \(reason)") }
      let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map { String($0.trimmed) }
      guard parts.count == 2 else { throw wrong("\"\(line)\" is no setting; write it as in: view = due") }
      guard let setting = Setting.all.first(where: { $0.name == parts[0] }) else {
        let names = Setting.all.map(\.name)
        let advice = Suggestion.clause(for: parts[0], among: names, otherwise: "`todo config` shows those there are")
        throw wrong("there is no setting \"\(parts[0])\"\(advice)")
      }
      guard lines[setting.name] == nil else { throw wrong("\(setting.name) is set twice; remove one of the two") }
      guard setting.set(&self, parts[1]) else {
        throw wrong("\(setting.name) is \(setting.values.joined(separator: ", ")), and not \"\(parts[1])\"")
      }
      lines[setting.name] = index + 1
    }
  }

  private init() {}
}

/// A setting of the config file.
struct Setting: Sendable {
  let name: String
  let about: String
  /// The values that it can have, in words.
  let values: [String]
  let get: @Sendable (Settings) -> String
  /// Sets it; returns whether the value is one.
  let set: @Sendable (inout Settings, String) -> Bool
  /// Whether it is for this machine alone, and not sent to a service.
  var isLocal = false

  private init(
    _ name: String, _ values: [String], _ about: String, get: @escaping @Sendable (Settings) -> String,
    set: @escaping @Sendable (inout Settings, String) -> Bool
  ) {
    (self.name, self.values, self.about, self.get, self.set) = (name, values, about, get, set)
  }

  /// A setting with one of some values, each with its word.
  private init<Value: Hashable & Sendable>(
    _ name: String, _ about: String, _ path: any WritableKeyPath<Settings, Value> & Sendable, _ words: [(String, Value)]
  ) {
    self.init(name, words.map(\.0), about) { settings in
      words.first { $0.1 == settings[keyPath: path] }?.0 ?? ""
    } set: { settings, word in
      guard let value = words.first(where: { $0.0 == word.lowercased() }) else { return false }
      settings[keyPath: path] = value.1
      return true
    }
  }

  static let all = [
    Setting("list", ["the name of a list"], "where items go that name no list") {
      $0.list
    } set: {
      $0.list = $1
      return !$1.isEmpty
    },
    Setting("view", "how lists are divided: --by", \.view, ItemView.named.map { ($0.rawValue, $0) }),
    Setting("color", "whether colours are used", \.color, [("auto", nil), ("always", true), ("never", false)]),
    Setting(
      "week-starts", "the first day of the week", \.habits.beginsOnSunday, [("monday", false), ("sunday", true)]),
    Setting(
      "date-order", "whether 12/11 is in December or in November", \.habits.order,
      [("none", .unknown), ("day-month", .dayFirst), ("month-day", .monthFirst)]),
    Setting("quiet", "whether commands say nothing of what they changed", \.isQuiet, [("no", false), ("yes", true)]),
    local("remote", ["the address of a service"], "which service runs the commands: --remote", \.remote),
    local("token-file", ["a file"], "the file with the token of that service, and of no other", \.tokenFile),
  ]

  private static func local(
    _ name: String, _ values: [String], _ about: String, _ path: any WritableKeyPath<Settings, String?> & Sendable
  ) -> Setting {
    var setting = Setting(name, values, about) {
      // An address may have a token, which nobody should see.
      ($0[keyPath: path] ?? "none").prefix { $0 != "?" }.description
    } set: {
      $0[keyPath: path] = $1 == "none" ? nil : $1
      return !$1.isEmpty
    }
    setting.isLocal = true
    return setting
  }
}

extension Substring {
  /// The part before a # at the beginning or after a blank; without a byte order mark.
  fileprivate var withoutComment: Substring {
    var text = hasPrefix("\u{FEFF}") ? dropFirst() : self
    if text.hasPrefix("#") { return "" }
    if let comment = text.firstRange(of: " #") { text = text[..<comment.lowerBound] }
    return text.trimmed
  }
}

extension Moment {
  /// The current time, with the user's habits.
  static var ofUser: Moment {
    var moment = Moment.now
    // A wrong config file is an error of the command.
    if let settings = try? Settings.current.get() { moment.habits = settings.habits }
    return moment
  }
}
