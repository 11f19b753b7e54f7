import TodoCore

/// `todo config`.
enum ConfigCommand {
  static let command = Command(
    "config", "show the settings, and where each comes from",
    details: [
      "Settings are in the file $XDG_CONFIG_HOME/todo/config (by default ~/.config/todo/config), one in a line, as in: "
        + "view = due. What follows a # is a comment. Flags and the environment have precedence.",
      "The settings are "
        + Setting.all.map { "\($0.name) (\($0.about): \($0.values.joined(separator: ", ")))" }.joined(separator: ", ")
        + ".",
    ],
    place: .machine,
    examples: [.init("todo config", "the settings in force"), .init("todo config --json", "for a script")]
  ) { invocation in
    let settings = try Settings.current.get()
    let path = try Settings.path() ?? ""
    func source(_ setting: Setting) -> String {
      settings.lines[setting.name].map { "\(path), line \($0)" } ?? "by default"
    }
    let output = Output()
    switch invocation.form {
    case .json:
      let values = Setting.all.map { setting in
        let line = settings.lines[setting.name].map { [("line", JSONValue.integer($0))] } ?? []
        return (setting.name, JSONValue.object(JSONObject([("value", .string(setting.get(settings)))] + line)))
      }
      try Documents.print([("file", .string(path)), ("settings", .object(JSONObject(values)))], to: output)
    case .plain:
      for setting in Setting.all {
        try output.line("\(setting.name)\t\(setting.get(settings).visible)\t\(source(setting).visible)")
      }
    case .text:
      var table = TextTable()
      for setting in Setting.all { table.add("\(setting.name) = \(setting.get(settings))", "# \(source(setting))") }
      try table.print(to: output)
      if settings.lines.isEmpty { try output.sentence("# the file would be \(path.visible)") }
    }
    try output.flush()
    return 0
  }
}
