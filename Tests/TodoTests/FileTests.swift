import FixtureSupport
import Foundation
import Testing

@Suite struct FileTests {
  @Test func `the database is that of the flag, then of the environment, then of the data folder`() throws {
    var todo = try Todo()
    try todo.ok("add", "by TODO_DB")
    try todo.ok("add", "by flag", "--db=\(todo.folder)/other.db")
    #expect(try todo.ok("--db", "\(todo.folder)/other.db", "list", "--json").items().count == 1)
    #expect(try todo.titles() == ["by TODO_DB"])
    todo.environment = ["XDG_DATA_HOME": todo.folder + "/data"]
    try todo.ok("add", "by XDG")
    let path = todo.folder + "/data/todo/todo.db"
    let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    #expect(mode == 0o600)
    todo.environment = ["XDG_DATA_HOME": "relative", "HOME": todo.folder + "/home"]
    try todo.ok("add", "by HOME")
    #expect(FileManager.default.fileExists(atPath: todo.folder + "/home/.local/share/todo/todo.db"))
  }

  @Test func `a foreign database is bad data, and a missing one an I/O error`() throws {
    let todo = try Todo()
    let text = todo.folder + "/text.db"
    try String(repeating: "no database\n", count: 200).write(toFile: text, atomically: true, encoding: .utf8)
    try todo.fails(65, "list", "--db", text)
    try todo.fails(65, "add", "x", "--db", text)
    try todo.fails(74, "list", "--db", todo.folder + "/nowhere/todo.db")
    try todo.fails(74, "add", "x", "--db", todo.folder + "/nowhere/todo.db")
    try todo.fails(74, "list", "--db", todo.folder)
    try todo.fails(74, "import", todo.folder + "/nowhere.json")
    try todo.fails(74, "import", todo.folder, "--format", "json")
  }

  @Test func `a backup is a new file`() throws {
    let todo = try Todo()
    try todo.fails(1, "backup", "copy.db")
    try todo.ok("add", "Milk")
    try todo.ok("backup", "copy.db")
    #expect(try todo.ok("list", "--json", "--db", "copy.db").items().count == 1)
    try todo.fails(4, "backup", "copy.db")
    try todo.fails(74, "backup", "nowhere/copy.db")
  }

  @Test func `a backup of damaged items warns in one sentence`() throws {
    let todo = try Todo()
    try todo.ok("add", "Milk", "@shop")
    try RawDatabase(path: todo.path).execute("DELETE FROM change")
    try todo.ok("backup", "well.db")
    try todo.ok("restore", "well.db")
    try todo.ok("doctor")
    try RawDatabase(path: todo.path).execute("UPDATE item SET notes = '[x]'")
    let outcome = try todo.run(["backup", "hurt.db"])
    #expect(outcome.code == 0 && outcome.errors.contains("will refuse this backup"), "\(outcome)")
    #expect(try todo.run(["restore", "hurt.db"]).code == 65)
    try todo.ok("restore", "well.db")
  }

  @Test func `what a killed restoration left is removed by the next one`() throws {
    let todo = try Todo()
    try todo.ok("add", "Milk")
    try todo.ok("backup", "copy.db")
    // No process has this number.
    let old = "\(todo.path).restoring-2147483646-x012345678"
    let leftovers = [
      old, "\(old)-journal", "\(old).partial-2147483646-x012345678", "\(old).partial-2147483646-x012345678-journal",
      "\(old).partial-2147483645-xabcdef012-wal",
    ]
    let others = [
      "\(todo.path).restoring-mine", "\(todo.path).restoring-x.partial-2147483646-x012345678",
    ]
    for path in leftovers + others {
      try "x".write(toFile: path, atomically: true, encoding: .utf8)
      try FileManager.default.setAttributes([.modificationDate: Date(timeIntervalSinceNow: -100)], ofItemAtPath: path)
    }
    try todo.ok("restore", "copy.db")
    for path in leftovers { #expect(!FileManager.default.fileExists(atPath: path), "\(path)") }
    for path in others { #expect(FileManager.default.fileExists(atPath: path), "\(path)") }
  }

  @Test func `an export as JSON is imported unchanged`() throws {
    let todo = try Todo()
    let titles = [
      "Pay rent", "牛乳 👩‍👩‍👧", "Meet @kim about +1", "x done?", "(A) letter", "2031-01-01 first", "two  spaces", " ends ",
      "line\nbreak", "tab\there", "a due:2031-01-02", "*b* [l](x) <i> `c` # & ~ |", "=1+1", "'quote", "-minus",
      "\"hi\", ok;",
      "back\\slash \\* end\\", "uuid:foo", "\u{202E}\u{1B}[31m", "!high", "a\r\nb", "100%", "- [ ] box",
      "a \"\u{301}, b", "a *\u{301}b* \\\u{301}",
      "Ring @kim ", "Call office\n+home", "Pay !high ", "Trip due:2031-01-02 ",
    ]
    for (index, title) in titles.enumerated() {
      var arguments = ["add"]
      if index % 2 == 0 { arguments += ["+Home", "@errand", "@b:c"] }
      if index % 4 == 0 { arguments += ["!high", "due:2031-01-31", "every:month"] }
      if index % 4 == 1 { arguments += ["due:2031-01-31T09:30"] }
      #expect(try todo.run(arguments + ["--", title]).code == 0)
    }
    try todo.ok("move", "1", "--to", "My # List_*")
    for note in ["ask", "two\nlines", "> q", "=x"] { try todo.ok("note", "1", note) }
    for note in ["\u{301}x", "\u{200D}", " x", "x "] { try todo.ok("note", "8", note) }
    try todo.ok("note", "9", "\u{301}x")
    try todo.ok("note", "3", "plain note")
    try todo.ok("done", "1", "2", "5", "6")
    try todo.ok("start", "3")
    try todo.ok("archive", "2")
    try todo.ok("tag", "7", "@two words")
    let file = try todo.ok("export").output
    let other = try Todo()
    try other.ok("import", "-", "--format", "json", input: file)
    let sections = { (todo: Todo) in
      try todo.ok("export").output.drop { $0 != "[" }.components(separatedBy: "\"sections\"")[1]
    }
    #expect(try sections(other) == sections(todo))
    let revision = try todo.ok("list", "--json").json()["revision"] as? Int
    #expect(try todo.ok("import", "-", "--format", "json", input: file).output.contains("0 new items"))
    #expect(try todo.ok("list", "--json").json()["revision"] as? Int == revision)
    try todo.ok("edit", "4", "something else")
    #expect(try todo.fails(4, "import", "-", "--format", "json", input: file).contains("--update"))
    try todo.ok("import", "-", "--format", "json", "--update", input: file)
    #expect(try sections(other) == sections(todo))
  }

  @Test(arguments: ["todotxt", "taskwarrior", "markdown", "csv"])
  func `what a format can say comes back, and one line counts the rest`(format: String) throws {
    let todo = try Todo()
    try todo.ok("add", "Pay rent", "+Home", "@errand", "!high", "due:2031-01-31", "every:month")
    try todo.ok("add", "Milk & 2 eggs", "due:2031-01-31T09:30")
    try todo.ok("done", "2")
    let export = try todo.ok("export", "--format", format)
    #expect(export.errors == "" && export.output.contains("uuid\":") == (format == "taskwarrior"))
    let other = try Todo()
    try other.ok("import", "-", "--format", format, input: export.output)
    for (item, there) in try zip(todo.items("--all"), other.items("--all")) {
      for field in ["title", "list", "tags", "priority", "due", "every", "done"] {
        #expect(item[field] as? NSObject == there[field] as? NSObject, "\(field)")
      }
    }
    #expect(
      try other.ok("export", "--format", format).output == export.output || format == "csv" || format == "taskwarrior")
    try todo.ok("archive", "1")
    let archived = try todo.run(["export", "--format", format])
    let counted = "todo: 1 item has places in the archive that \(format) can't hold; --format json keeps everything\n"
    #expect(archived.errors == (format == "csv" ? "" : counted))
  }

  @Test func `with --ids an edited export replaces items`() throws {
    let todo = try Todo()
    try todo.ok("add", "Pay rent", "@errand")
    try todo.ok("note", "1", "ask")
    for format in ["todotxt", "csv", "taskwarrior"] {
      let file = try todo.run(["export", "--format", format, "--ids"]).output
      let edited = file.replacingOccurrences(of: "errand", with: format)
      try todo.fails(4, "import", "-", "--format", format, input: edited)
      try todo.ok("import", "-", "--format", format, "--update", input: edited)
      #expect(try todo.items().first?["tags"] as? [String] == [format])
      #expect(try todo.items().first?["notes"] as? [String] == ["ask"])
      try todo.ok("undo")
    }
    #expect(try todo.fails(64, "export", "--format", "markdown", "--ids").contains("UUIDs"))
  }

  @Test func `other programs' files keep their words`() throws {
    let todo = try Todo()
    // `t:` is the date until which an item is hidden.
    let lines =
      "(D) 2031-01-01 Call +Family +Big @phone key:value t:2031-02-01\nx 2031-01-03 2031-01-02 Old thing pri:Z\n"
    try todo.ok("import", "-", "--format", "todotxt", input: lines)
    #expect(try todo.items("+Family", "wait:any").first?["title"] as? String == "Call +Big key:value")
    let export = try todo.ok("export", "--format", "todotxt").output
    for word in lines.split(whereSeparator: \.isWhitespace) { #expect(export.contains(word), "\(word)") }
    let tasks = """
      [{"id":1,"description":"Buy","status":"waiting","wait":"20310101T000000Z","entry":"20260101T000000Z","depends":["a"],"own":7,
      "uuid":"AAAAAAAA-0000-4000-8000-000000000001","annotations":[{"entry":"20260102T000000Z","description":"note"}]},
      {"description":"gone","status":"deleted"},{"description":"parent","status":"recurring","recur":"weekly"}]
      """
    let other = try Todo()
    try other.ok("import", "-", "--format", "taskwarrior", input: tasks)
    #expect(try other.titles() == [] && other.titles("wait:any") == ["Buy"])
    let back = try other.ok("export", "--format", "taskwarrior").output
    for part in ["\"wait\":\"20310101T000000Z\"", "\"depends\":[\"a\"]", "\"own\":7", "20260102T000000Z", "waiting"] {
      #expect(back.contains(part), "\(part)")
    }
    let csv = try Todo()
    try csv.ok("import", "-", "--format", "csv", input: "title,colour\r\n'=1+1,red\n\"a, \"\"b\"\"\",\n")
    #expect(try csv.titles() == ["=1+1", "a, \"b\""])
    #expect(try csv.run(["export", "--format", "csv"]).output.contains("'=1+1"))
  }

  @Test func `our JSON keeps what others say of items and lists`() throws {
    let todo = try Todo()
    let json = """
      {"schema":1,"lists":[{"name":"Home","color":"red"},{"name":"Empty","n":[1]}],"sections":[
      {"name":"Home","items":[{"title":"a","own":{"x":1}}]},
      {"name":"Work","icon":"w","items":[{"title":"b"}]}]}
      """
    #expect(
      try todo.ok("import", "-", "--format", "json", input: json).output.contains("\"icon\" of a section is left out"))
    let file = try todo.ok("export").output
    let other = try Todo()
    try other.ok("import", "-", "--format", "json", input: file)
    #expect(try other.ok("export").output == file)
    let document = try JSONSerialization.jsonObject(with: Data(file.utf8)) as? [String: Any]
    let lists = try #require(document?["lists"] as? [[String: Any]])
    #expect(lists.map { $0["name"] as? String } == ["Home", "Empty", "Work"])
    #expect(lists[0]["color"] as? String == "red" && lists[0].count == 2 && lists[1]["n"] as? [Int] == [1])
    #expect(file.contains("\"own\":{\"x\":1}"))
  }

  @Test func `an import takes the format that the content has, and says which`() throws {
    let todo = try Todo()
    let task =
      #"{"id":1,"uuid":"6f1c9a0e-1b2c-4d3e-8f90-0123456789ab","description":"Milk","status":"pending","entry":"1577836800","due":1577840400}"#
    let deleted = #"{"uuid":"6f1c9a0e-1b2c-4d3e-8f90-0123456789ac","description":"Old","status":"deleted"}"#
    for (text, name, format) in [
      ("[\n\(task),\n\(deleted)\n]\n", "tasks.json", "taskwarrior"),
      ("\(task)\n\(task.replacing("9ab", with: "9ad"))", "-", "taskwarrior"),
      (#"{"schema":1,"sections":[]}"#, "-", "json"), (#"[{"title":"a","description":"b"}]"#, "a.txt", "json"),
      ("# Home\n\n- [ ] Milk\n", "-", "markdown"), ("* [x] Milk", "notes.txt", "markdown"),
      ("title,due\nMilk,2031-01-02\n", "-", "csv"), ("list;title\nHome;Milk\n", "-", "csv"),
      ("(A) Milk +home\n", "-", "todotxt"), ("title, of a book\n", "todo.txt", "todotxt"),
      ("[draft] Milk", "-", "todotxt"),
    ] {
      if name != "-" { try text.write(toFile: todo.folder + "/" + name, atomically: true, encoding: .utf8) }
      let said = try todo.ok("import", name, "--dry-run", input: text).output.replacing("\n", with: " ")
      #expect(said.contains("(as \(format))"), "\(text): \(said)")
      if text.contains("Old") { #expect(said.contains("left out 1 deleted task"), "\(said)") }
    }
    try todo.ok("import", "tasks.json")
    let item = try #require(try todo.ok("list", "--json").items().first)
    #expect(item["created"] as? String == "2020-01-01T00:00:00Z" && item["due"] as? String == "2020-01-01T01:00:00Z")
  }

  @Test func `todo.txt keeps the words of a title where they are`() throws {
    let todo = try Todo()
    let lines = ["Ask @bob about +launch plan", "+home Pay rent @errand", "(B) Call +a +b @c"]
    try todo.ok("import", "-", "--format", "todotxt", input: lines.joined(separator: "\n"))
    let items = try todo.ok("list", "--json").items()
    #expect(Set(items.compactMap { $0["title"] as? String }) == ["Ask @bob about +launch plan", "Pay rent", "Call +b"])
    let first = items.first { ($0["title"] as? String)?.hasPrefix("Ask") == true }
    #expect(first?["list"] as? String == "launch" && first?["tags"] as? [String] == ["bob"])
    let exported = try todo.ok("export", "--format", "todotxt").output
    #expect(exported.contains("Ask @bob about +launch plan\n") && !exported.contains("+launch Ask"), "\(exported)")
    try todo.ok("import", "-", "--format", "todotxt", input: exported)
    #expect(try todo.ok("list", "--json").items().count == 3)
  }

  @Test func `an import says which lines it left out`() throws {
    let todo = try Todo()
    let text = "# Home\n\nProse\n- [ ] a\n```\ncode\n```\n"
    let said = try todo.ok("import", "-", "--format", "markdown", "--dry-run", input: text).output
    #expect(said.contains("left out 2 lines of no item, the first is line 3"), "\(said)")
    let json = try todo.ok("import", "-", "--format", "markdown", "--json", input: text).json()
    #expect(json["leftOut"] as? [Int] == [3, 6])
  }

  @Test func `an error in a file names the file`() throws {
    let todo = try Todo()
    let uuid = "6f1c9a0e-1b2c-4d3e-8f90-0123456789ab"
    func write(_ text: String) throws {
      try text.write(toFile: todo.folder + "/in.json", atomically: true, encoding: .utf8)
    }
    let item = "{\"title\":\"a\",\"uuid\":\"\(uuid)\"}"
    for text in ["[{\"title\":1}]", "[{\"title\":\"a\",\"tags\":[\"\"]}]", "[\(item),\n\(item)]"] {
      try write(text)
      for more in [[], ["--dry-run"]] {
        let outcome = try todo.run(["import", "in.json"] + more)
        #expect(outcome.code == 65 && outcome.errors.hasPrefix("todo: in.json: line "), "\(outcome.errors)")
      }
    }
    try write("[\(item)]")
    try todo.ok("import", "in.json")
    try todo.ok("edit", "1", "other")
    #expect(try todo.fails(4, "import", "in.json").hasPrefix("todo: in.json: line 1, column 2: "))
  }

  @Test func `an error in a file names its place, and nothing is imported`() throws {
    let todo = try Todo()
    let json =
      "{\"sections\":[{\"name\":\"A\",\"items\":[\n{\"title\":\"fine\"},\n{\"title\":\"bad\",\"due\":\"soon\"}]}]}"
    #expect(try todo.fails(65, "import", "-", "--format", "json", input: json).contains("line 3, column 22"))
    #expect(try todo.fails(65, "import", "-", "--format", "json", input: "{\n \"a\" 1}").contains("line 2, column 6"))
    let row = "title,due\nfine,\nbad,soon\n"
    #expect(try todo.fails(65, "import", "-", "--format", "csv", input: row).contains("line 3, column 5"))
    #expect(try todo.fails(65, "import", "-", "--format", "csv", input: "name\nx\n").contains("line 1, column 1"))
    #expect(!FileManager.default.fileExists(atPath: todo.path))
    #expect(try todo.fails(64, "import", "-", "--format", "markdwon").contains("markdown"))
    #expect(
      try todo.ok("import", "-", "--format", "todotxt", "--dry-run", input: "a\nb\n").output.contains("2 new items"))
    #expect(!FileManager.default.fileExists(atPath: todo.path))
  }
}
