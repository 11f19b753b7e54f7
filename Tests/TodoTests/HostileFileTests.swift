import Foundation
import Testing

/// Paths that lead to what is no database, to somebody else's file, or into a folder that is everybody's.
@Suite(.timeLimit(.minutes(10))) struct HostileFileTests {
  private static func mode(_ path: String) throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
  }

  private static func link(_ path: String, to target: String) throws {
    try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: target)
  }

  @Test(arguments: ["pipe", "socket", "folder", "loop", "/dev/null", "/dev/zero", "/dev/tty"])
  func `a path that is not a file is an error at once`(name: String) throws {
    let todo = try Todo()
    let path = name.hasPrefix("/") ? name : todo.folder + "/" + name
    switch name {
    case "pipe": #expect(mkfifo(path, 0o600) == 0)
    case "socket": #expect(mknod(path, S_IFSOCK | 0o600, 0) == 0)
    case "folder": try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    case "loop": try Self.link(path, to: path)
    default: break
    }
    for command in [["list"], ["add", "x"], ["done", "1"], ["doctor"], ["watch"], ["stats"]] {
      let outcome = try todo.run(command + ["--db", path])
      #expect(outcome.code == 74, "\(command): \(outcome.code)")
      #expect(outcome.output == "" && outcome.errors.contains(path), "\(command): \(outcome.errors)")
    }
    try todo.ok("add", "Milk")
    let backup = try todo.run(["backup", path])
    #expect(backup.code == (name == "folder" ? 74 : 4), "\(backup.errors)")
    try todo.ok("backup", "copy.db")
    for arguments in [["copy.db", "--db", path], [path]] {
      let restoration = try todo.run(["restore"] + arguments)
      #expect(restoration.code == 74 && restoration.errors.contains(path), "\(restoration.errors)")
    }
  }

  @Test func `new files are readable by their owner only, whatever the umask`() throws {
    var todo = try Todo()
    todo.environment = ["PROGRAM": Program.path, "XDG_DATA_HOME": todo.folder + "/data"]
    let script = """
      umask 0
      "$PROGRAM" add Milk && "$PROGRAM" backup copy.db && "$PROGRAM" --db copy.db add Bread
      """
    #expect(try todo.run(["-c", script], program: "/bin/sh").code == 0)
    var checked = 0
    for folder in [todo.folder + "/data/todo", todo.folder] {
      for name in try FileManager.default.contentsOfDirectory(atPath: folder) where name.contains(".db") {
        #expect(try Self.mode(folder + "/" + name) == 0o600, "\(name)")
        checked += 1
      }
    }
    // Neither has a log beside it once the command has ended.
    #expect(checked == 2)
    for folder in ["/data", "/data/todo"] { #expect(try Self.mode(todo.folder + folder) == 0o700) }
  }

  @Test func `a link is followed to its file which is its owner's only`() throws {
    let todo = try Todo()
    try FileManager.default.createDirectory(atPath: todo.folder + "/real", withIntermediateDirectories: false)
    try Self.link(todo.path, to: "real/far.db")
    #expect(try todo.ok("list").output == "nothing to do\n")
    #expect(!FileManager.default.fileExists(atPath: todo.folder + "/real/far.db"))
    try todo.ok("add", "Milk")
    #expect(try todo.titles() == ["Milk"])
    let names = try FileManager.default.contentsOfDirectory(atPath: todo.folder + "/real").sorted()
    #expect(names == ["far.db"])
    for name in names { #expect(try Self.mode(todo.folder + "/real/" + name) == 0o600, "\(name)") }
    try Self.link(todo.folder + "/nowhere.db", to: "no/such/folder.db")
    #expect(try todo.fails(74, "add", "x", "--db", "nowhere.db").contains("leads to nothing"))
  }

  @Test func `a backup never goes through a link`() throws {
    let todo = try Todo()
    try todo.ok("add", "Milk")
    try "keep".write(toFile: todo.folder + "/other", atomically: true, encoding: .utf8)
    try Self.link(todo.folder + "/to-file", to: "other")
    try Self.link(todo.folder + "/to-nothing", to: "none")
    for name in ["to-file", "to-nothing", "other"] { #expect(try todo.fails(4, "backup", name).contains(name)) }
    #expect(try String(contentsOfFile: todo.folder + "/other", encoding: .utf8) == "keep")
    #expect(!FileManager.default.fileExists(atPath: todo.folder + "/none"))
    let names = try FileManager.default.contentsOfDirectory(atPath: todo.folder)
    #expect(!names.contains { $0.contains("partial") })
  }

  @Test func `the doctor reports a folder that everybody can write to`() throws {
    let todo = try Todo()
    try todo.ok("add", "Milk")
    try todo.ok("doctor")
    #expect(chmod(todo.folder, 0o1777) == 0)
    let outcome = try todo.run(["doctor"])
    #expect(outcome.code == 65 && outcome.output.contains("others may put files into"), "\(outcome.output)")
    #expect(chmod(todo.folder, 0o755) == 0 && chmod(todo.path, 0o644) == 0)
    #expect(try todo.run(["doctor"]).output.contains("others may read"))
  }

  @Test func `a pipe is imported and a folder is not`() throws {
    var todo = try Todo()
    todo.environment = ["PROGRAM": Program.path, "TODO_DB": todo.path]
    let script = """
      mkfifo pipe; printf 'a\\nb\\n' > pipe & "$PROGRAM" import pipe --format todotxt
      """
    #expect(try todo.run(["-c", script], program: "/bin/sh").output.contains("2 new items"))
    try todo.fails(74, "import", todo.folder, "--format", "json")
    #expect(try todo.titles() == ["a", "b"])
  }
}
