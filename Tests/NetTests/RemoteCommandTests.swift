#if Net
  import Foundation
  import Testing
  import TodoCommands

  /// `todo --remote`, beside the same commands on a database of this machine.
  @Suite(.serialized, .timeLimit(.minutes(10))) struct RemoteCommandTests {
    /// A service with a new database, and a folder with another one for the same commands without it.
    final class Session {
      let folder: Folder
      let service: Tool
      let address: String

      /// - Parameter program: What the service runs for commands, as a script; nil for `todo` itself.
      init(program: String? = nil, port: Int = 0) async throws {
        folder = try Folder()
        var net = Place.products.appending(path: "todo-net").path
        if let program {
          try FileManager.default.copyItem(atPath: net, toPath: folder.path + "/todo-net")
          try Data(program.utf8).write(to: URL(filePath: folder.path + "/todo"))
          try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder.path + "/todo")
          net = folder.path + "/todo-net"
        }
        service = try Tool(
          "sh", "-c", "exec '\(net)' serve --db '\(folder.path)/served.db' --listen 127.0.0.1:\(port) 2>&1")
        for name in ["here", "there"] {
          try FileManager.default.createDirectory(atPath: folder.path + "/" + name, withIntermediateDirectories: true)
        }
        let service = service
        #expect(await eventually { service.output.contains("\n") }, "\(service.output)")
        address = service.output.trimmingCharacters(in: .whitespacesAndNewlines)
        // A service has a database from its beginning.
        if program == nil { _ = try await run("todo filter save x @x; todo filter remove x", isRemote: false) }
      }

      /// What a script prints that calls `todo`, here or at the service.
      func run(_ script: String, isRemote: Bool = true, _ environment: String = "") async throws -> String {
        let place = isRemote ? "TODO_REMOTE='\(address)'" : "TODO_DB='\(folder.path)/here.db'"
        let program = Place.products.appending(path: "todo").path
        let tool = try Tool(
          "sh", "-c",
          "cd '\(folder.path)/\(isRemote ? "there" : "here")'; exec 2>&1 </dev/null; todo() { '\(program)' \"$@\"; }; "
            + "export HOME=/nonexistent TZ=Asia/Tokyo \(place) \(environment); \(script)")
        return await tool.end()
      }

      /// Runs a script here and at the service, and compares what is printed, but for folders, UUIDs and times.
      func same(_ script: String, _ environment: String = "", _ location: SourceLocation = #_sourceLocation)
        async throws
      {
        func plain(_ text: String) -> String {
          text.replacing("\(folder.path)/there", with: "\(folder.path)/here")
            .replacing(/[0-9a-f]{8}-[0-9a-f-]{27}/, with: "UUID")
            .replacing(/\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\dZ)?/, with: "TIME")
        }
        let here = try await run(script, isRemote: false, environment)
        let there = try await run(script, environment)
        #expect(plain(there) == plain(here), "\(script)", sourceLocation: location)
        #expect(!here.isEmpty, "\(script)", sourceLocation: location)
      }
    }

    /// What runs a command on a terminal, with keys that are typed.
    private func onTerminal(_ command: String, typing keys: String = "") -> String {
      let program = "import os,pty,sys; r=os.read; sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))"
      let todo = Place.products.appending(path: "todo").path
      return "(printf '\(keys)'; sleep 1) | python3 -c '\(program)' '\(todo)' \(command); echo \"=> $?\""
    }

    @Test func `the examples of every command print there what they print here`() async throws {
      let commands = Command.all.flatMap { [$0] + $0.subcommands }.filter { $0.place == .service }
      #expect(commands.count > 30)
      for command in commands {
        let session = try await Session()
        let examples = command.examples.map(\.line).filter { line in
          !command.flags.contains { $0.isLocal && line.contains($0.name) }
        }
        try await session.same(examples.map { "\($0); echo \"=> $?\"\n" }.joined())
      }
    }

    @Test func `forms, errors, exit codes, settings and terminals are those of the caller`() async throws {
      let session = try await Session()
      try await session.same(
        "todo; todo add Milk due:today 23:30 !high; todo add 'Größe' +home @x; todo --json; todo --plain")
      try await session.same(
        "todo show 99; echo $?; todo list --by nosuch; echo $?; todo nosuch; echo $?; todo add; echo $?")
      try await session.same(
        "printf 'a\\nb due:nosuch\\n' | todo add -; echo $?; printf '\\377' | todo import -; echo $?")
      try await session.same(
        "todo import nosuch.json; echo $?; echo '[{\"title\":1}]' >x.json; todo import x.json; echo $?")
      let config = "mkdir -p c/todo; printf 'view = priority\\nlist = Work\\ncolor = always\\n' >c/todo/config;"
      try await session.same("\(config) todo add Pens; todo; todo due:today; todo log", "XDG_CONFIG_HOME=$PWD/c")
      try await session.same("echo 'veiw = due' >c/todo/config; todo; echo $?", "XDG_CONFIG_HOME=$PWD/c")
      for environment in ["COLUMNS=40 TERM=xterm", "COLUMNS=90 TERM=dumb", "COLUMNS=90 TERM=xterm NO_COLOR=1"] {
        try await session.same(onTerminal("list"), environment)
        try await session.same(onTerminal("show 1"), "\(environment) COLUMNS=70")
        try await session.same(onTerminal("export"), environment)
      }
      #expect(try await session.run("todo | head -n 1; todo list >/dev/full; echo $?").contains("74"))
    }

    @Test func `questions are asked here, and are about what was seen`() async throws {
      let session = try await Session()
      try await session.same("todo add Milk; todo add Bread; todo add Soap +home")
      try await session.same(onTerminal("done +Inbox", typing: "n\\n"))
      try await session.same(onTerminal("done +Inbox", typing: "x\\ny\\n"))
      try await session.same(onTerminal("add Tea +hom", typing: "y\\n"))
      try await session.same(onTerminal("add Tea due:tomorow", typing: "n\\n"))
      try await session.same("todo done +home; echo $?; todo list --all")
    }

    @Test func `megabytes go there and back`() async throws {
      let session = try await Session()
      let lines = "seq 1 20000 | sed 's/$/ an item with a title of many letters, so that all is long/'"
      let printed = try await session.run(
        "\(lines) | todo add - --quiet; echo $?; todo export --format csv >a; todo import a --dry-run; wc -c <a")
      #expect(printed.hasPrefix("0\n") && printed.contains("20000 here already"), "\(printed.prefix(500))")
      #expect((Int(printed.split(separator: "\n").last ?? "") ?? 0) > 2_000_000)
    }

    @Test func `what is wrong with the service is said in a sentence`() async throws {
      let session = try await Session()
      let bare = String(session.address.prefix { $0 != "?" })
      for (variables, sentence) in [
        ("TODO_REMOTE=\(bare)", "needs its token"),
        ("TODO_REMOTE=\(bare) TODO_TOKEN=0123456789abcdef", "has another token"),
        ("TODO_REMOTE=http://127.0.0.1:1", "can't be reached: couldn't connect to server"),
        ("TODO_REMOTE=\(bare)nosuch/", "is of an earlier version"),
      ] {
        let printed = try await session.run("export \(variables); todo; echo $?")
        #expect(printed.contains(sentence) && printed.hasSuffix("\n74\n"), "\(printed)")
        #expect(printed.hasPrefix("todo: the service http://127.0.0.1:") && !printed.contains("token="), "\(printed)")
      }
      let other = try Tool("python3", "-m", "http.server", "\(19_321)", "--bind", "127.0.0.1")
      #expect(
        try await eventually {
          try await session.run("TODO_REMOTE=http://127.0.0.1:19321 todo; echo $?").contains("is no todo service")
        })
      other.signal(SIGKILL)
      for (address, sentence) in [
        ("http://example.com:8750", "is not encrypted"), ("http://127.evil.example", "is not encrypted"),
        ("box:8750", "is no address of a service"), ("http://a@127.0.0.1", "is no address of a service"),
      ] {
        let printed = try await session.run("todo --remote \(address); echo $?")
        #expect(printed.contains(sentence) && printed.hasSuffix("\n64\n"), "\(printed)")
      }
      let file = "(umask 077; printf '%s\\n' '\(session.address.split(separator: "=").last ?? "")' >token)"
      #expect(try await session.run("\(file); todo --remote \(bare) --token-file token version").hasPrefix("todo "))
    }

    @Test func `a token goes only to the service that it is for`() async throws {
      let session = try await Session()
      let parts = session.address.split(separator: "/?token=").map(String.init)
      _ = try await session.run("todo add Milk")
      let (bare, token, other) = (parts[0], parts[1], "http://127.0.0.1:1")
      for (config, command, isSent) in [
        (bare, "todo list", true), (bare, "todo --remote \(bare)/ list", true),
        (other, "todo --remote \(bare) list", false), (other, "TODO_REMOTE=\(bare) todo list", false),
        (other, "TODO_TOKEN=\(token) todo --remote \(bare) list", true),
        (other, "TODO_TOKEN=\(token) TODO_REMOTE=\(other) todo --remote \(bare) list", false),
      ] {
        let printed = try await session.run(
          "unset TODO_REMOTE; mkdir -p c/todo; printf \(token) >token; "
            + "printf 'remote = \(config)\\ntoken-file = '$PWD'/token\\n' >c/todo/config; \(command)",
          "XDG_CONFIG_HOME=$PWD/c")
        #expect(printed.contains("needs its token") != isSent, "\(command): \(printed)")
        #expect(printed.contains("Milk") == isSent, "\(command): \(printed)")
      }
    }

    @Test func `local commands are refused, also by the service`() async throws {
      let session = try await Session()
      let token = session.address.split(separator: "=").last ?? ""
      for command in Command.all where ![.service, .anywhere].contains(command.place) {
        let sentence = "`todo \(command.name)` works on this machine's files only; run it where the database is"
        if command.place != .terminal {
          let printed = try await session.run("todo --remote '\(session.address)' \(command.name); echo $?")
          #expect(printed == "todo: \(sentence)\n64\n")
        }
        // A client that doesn't ask before.
        let request = #"{"arguments":["\#(command.name)"],"environment":{}}"#
        let answer = try await Answer.get(
          String(session.address.prefix { $0 != "?" }) + "api/command", "-H", "Authorization: Bearer \(token)", "-H",
          "Content-Type: application/x-todo-command", "-d", request)
        #expect(answer.body == "{\"code\":64,\"output\":0}\ntodo: \(sentence)\n")
      }
      #expect(try await session.run("todo --remote '\(session.address)' list --db x").contains("`--db` works on"))
      #expect(try await session.run("todo edit --editor 1").contains("`todo edit --editor` works on"))
    }

    @Test func `a request that is wrong is refused`() async throws {
      let session = try await Session()
      let token = session.address.split(separator: "=").last ?? ""
      let address = String(session.address.prefix { $0 != "?" }) + "api/command"
      func post(_ body: String, token: String, type: String = "application/x-todo-command") async throws -> Int {
        try await Answer.get(
          address, "-H", "Authorization: Bearer \(token)", "-H", "Content-Type: \(type)", "-d", body
        ).status
      }
      let good = #"{"arguments":["version"],"environment":{"TODO_CALLER":"80 80 -","TZ":"Europe/Berlin"}}"#
      #expect(try await post(good, token: String(token)) == 200)
      #expect(try await post(good, token: "0123456789abcdef") == 401)
      #expect(try await post(good, token: String(token), type: "application/json") == 415)
      for bad in [
        "", "{}", "[]", #"{"arguments":"list","environment":{}}"#, #"{"arguments":[1],"environment":{}}"#,
        #"{"arguments":["a\u0000b"],"environment":{}}"#, #"{"arguments":[],"environment":{"LD_PRELOAD":"x"}}"#,
        #"{"arguments":[],"environment":{"TZ":"/etc/passwd"}}"#, #"{"arguments":[],"environment":{"TZ":"../x"}}"#,
        #"{"arguments":[],"environment":{"TODO_CALLER":""}}"#, #"{"arguments":[],"environment":{"TODO_DB":"x"}}"#,
      ] { #expect(try await post(bad, token: String(token)) == 422, "\(bad)") }
    }

    @Test func `watch on a terminal follows a service, changes its items, and survives its restart`() async throws {
      let folder = try Folder()
      let port = UInt16.random(in: 10_000..<20_000)
      let watcher = try Tool(
        "sh", "-c", "exec python3 '\(Place.client("watch.py"))' '\(Place.products.path)' '\(folder.path)' \(port) 2>&1")
      #expect(await watcher.end() == "ok\n")
    }

    @Test func `a command gets a small environment, and is killed when its caller goes`() async throws {
      let session = try await Session(
        program: "#!/bin/sh\nenv >\"$TODO_DB.env\"; echo $$ >\"$TODO_DB.id\"; exec sleep 1000\n")
      let path = session.folder.path + "/served.db"
      let program = Place.products.appending(path: "todo").path
      let caller = try Tool(
        "env", "-i", "SECRET=1", "TODO_REMOTE=\(session.address)", program, "list")
      func id() -> pid_t? {
        (try? String(contentsOfFile: path + ".id", encoding: .utf8)).flatMap { pid_t($0.dropLast()) }
      }
      #expect(await eventually { id() != nil })
      let command = try #require(id())
      let names = try String(contentsOfFile: path + ".env", encoding: .utf8).split(separator: "\n").map {
        String($0.prefix { $0 != "=" })
      }
      #expect(Set(names).subtracting(["PWD", "OLDPWD", "_", "SHLVL"]) == ["TODO_CALLER", "TODO_DB", "TZ"])
      #expect(kill(command, 0) == 0)
      caller.signal(SIGKILL)
      await caller.end()
      #expect(await eventually { kill(command, 0) != 0 }, "the command goes on without its caller")
    }
  }
#endif
