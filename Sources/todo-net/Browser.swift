import Foundation

/// The browser of this machine.
enum Browser {
  /// Opens the page, or says in a line why not.
  static func open(_ access: Access, _ options: ServeOptions) {
    guard options.isLoopback else {
      return log("--open works only if the page is on this machine; open the address yourself", .warning)
    }
    let environment = ProcessInfo.processInfo.environment
    let folders = (environment["PATH"] ?? "").split(separator: ":")
    let programs = [environment["BROWSER"], "xdg-open"].compactMap(\.self).filter { !$0.isEmpty }
    let paths = programs.flatMap { name in name.contains("/") ? [name] : folders.map { "\($0)/\(name)" } }
    let process = Process()
    guard let path = paths.first(where: { FileManager.default.isExecutableFile(atPath: $0) }) else {
      return log("there is no browser to open: neither $BROWSER nor xdg-open; open the address yourself", .warning)
    }
    process.executableURL = URL(filePath: path)
    process.arguments = [options.token == nil ? "\(access.url)?token=\(access.makeCode())" : access.url]
    (process.standardInput, process.standardOutput) = (FileHandle.nullDevice, FileHandle.nullDevice)
    process.standardError = FileHandle.nullDevice
    do {
      try process.run()
    } catch {
      log("\(path) doesn't start; open the address yourself", .warning)
    }
  }
}
