import FetchedResultsSupport

/// The browser of this machine.
enum Browser {
  /// Opens the page, or says in a line why not.
  static func open(_ access: Access, _ options: ServeOptions) {
    guard options.isLoopback else {
      return log("--open works only if the page is on this machine; open the address yourself", .warning)
    }
    let address = options.token == nil ? "\(access.url)?token=\(access.makeCode())" : access.url
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for descriptor: Int32 in 0...2 {
      posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0)
    }
    let browser = getenv("BROWSER").map { String(cString: $0) } ?? ""
    for program in [browser, "xdg-open"] where !program.isEmpty {
      var words = [strdup(program), strdup(address), nil]
      defer { for word in words { free(word) } }
      var id: pid_t = 0
      guard posix_spawnp(&id, program, &actions, nil, &words, environ) == 0 else { continue }
      // It is waited for so that the system forgets it.
      _ = BackgroundThread.start { [id] in waitpid(id, nil, 0) }
      return
    }
    log("there is no browser to open: neither $BROWSER nor xdg-open starts; open the address yourself", .warning)
  }
}
