import FetchedResultsSupport

/// The browser of this machine.
enum Browser {
  /// Opens the page, or says in a line why not.
  static func show(_ access: Access, _ options: ServeOptions) {
    guard options.isLoopback else {
      return log("--open works only if the page is on this machine; open the address yourself", .warning)
    }
    let address = options.token == nil ? "\(access.url)?token=\(access.makeCode())" : access.url
    let nothing = open("/dev/null", O_RDWR | O_CLOEXEC)
    defer { close(nothing) }
    let browser = getenv("BROWSER").map { String(cString: $0) } ?? ""
    for program in [browser, "xdg-open"] where !program.isEmpty {
      var id: pid_t = 0
      guard spawn(&id, [program, address], [nothing, nothing, nothing]) == 0 else { continue }
      // It is waited for so that the system forgets it.
      _ = BackgroundThread.start { [id] in waitpid(id, nil, 0) }
      return
    }
    log("there is no browser to open: neither $BROWSER nor xdg-open starts; open the address yourself", .warning)
  }
}
