/// The location of the database.
public struct DatabaseLocation: Hashable, Sendable {
  /// The file.
  public var path: String
  /// Whether it is the default location; then missing parent folders are created.
  public var isDefault: Bool

  /// A file that somebody named, or the default one.
  public init(path: String, isDefault: Bool = false) {
    self.path = path
    self.isDefault = isDefault
  }

  /// Finds the file: from `--db`, or TODO_DB, or `$XDG_DATA_HOME/todo/todo.db`, or the same in ~/.local/share.
  ///
  /// An XDG_DATA_HOME that is not absolute is ignored, as its specification requires.
  public static func find(
    flag: String?, environment: ((String) -> String?)? = nil
  ) throws(TodoError) -> DatabaseLocation {
    func variable(_ name: String) throws(TodoError) -> String? {
      if let environment { return environment(name) }
      return try Platform.environment(name)
    }
    if let flag {
      if flag.isEmpty { throw .usage("--db needs the name of a file, such as --db ~/todo.db") }
      return try file(flag, "--db")
    }
    if let path = try variable("TODO_DB"), !path.isEmpty { return try file(path, "TODO_DB") }
    guard let path = try userFile("todo/todo.db", "XDG_DATA_HOME", ".local/share", variable) else {
      throw .inputOutput("there is no home folder to keep the database in; name a file with --db FILE")
    }
    return DatabaseLocation(path: path, isDefault: true)
  }

  /// The config file: `$XDG_CONFIG_HOME/todo/config`, or the same in ~/.config; nil if there is no home folder.
  public static func configFile() throws(TodoError) -> String? {
    try userFile("todo/config", "XDG_CONFIG_HOME", ".config") { name throws(TodoError) in
      try Platform.environment(name)
    }
  }

  /// A file in a folder that a variable names, or in one of the home folder.
  private static func userFile(
    _ name: String, _ folder: String, _ usual: String, _ variable: (String) throws(TodoError) -> String?
  ) throws(TodoError) -> String? {
    if let folder = try variable(folder), folder.hasPrefix("/") { return joined(folder, name) }
    let home = try variable("HOME").flatMap { $0.hasPrefix("/") ? $0 : nil } ?? Platform.homeOfUser()
    return home.map { joined($0, "\(usual)/\(name)") }
  }

  /// SQLite treats this name as a database in memory, which would be lost when the command ends.
  private static func file(_ path: String, _ source: String) throws(TodoError) -> DatabaseLocation {
    if path == ":memory:" {
      throw .usage("\(source) names a database in memory, which keeps nothing; name a file, as in: --db ~/todo.db")
    }
    // One that is there was made by an earlier version.
    if Platform.status(of: path) == nil, let problem = nameProblem(of: path) {
      throw .usage("\(source) names \(problem)")
    }
    return DatabaseLocation(path: path)
  }

  /// Why SQLite would remove a file with such a name, or overwrite it; nil if it would not.
  static func nameProblem(of path: String) -> String? {
    guard let suffix = ["-wal", "-shm", "-journal"].first(where: path.hasSuffix) else { return nil }
    return
      "\(path), but a file whose name ends in \(suffix) is a part of the database \(path.dropLast(suffix.count)); choose another name"
  }

  private static func joined(_ folder: String, _ rest: String) -> String {
    folder.hasSuffix("/") ? folder + rest : folder + "/" + rest
  }

  /// The folder of the file.
  var folder: String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }
}
