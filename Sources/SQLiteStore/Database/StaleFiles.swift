import FetchedResultsSupport

/// Temporary files (`todo-copy.db.partial-1234-…`) that a process left behind when it was killed.
package enum StaleFiles {
  /// Removes leftovers beside a file. Their names contain the number of the process that created them. Files of a
  /// running process, and files written in the last minute (perhaps by a process in another container), are kept.
  package static func remove(of path: String, _ marker: String) {
    let folder = FilePreparation.parent(of: path)
    let beginning = beginning(of: path, marker)
    for name in names(in: folder) where name.hasPrefix(beginning) {
      let file = folder + "/" + name
      guard let maker = maker(name.dropFirst(beginning.count)), kill(maker, 0) != 0, errno == ESRCH, isOld(file)
      else { continue }
      unlink(file)
    }
  }

  /// The process that created the file whose name ends so: its number, `-`, and ten random characters, perhaps with
  /// further suffixes, such as those of SQLite's files. Any other name is the user's, such as `shop.db.new-2024-05-01`.
  private static func maker(_ ending: Substring) -> pid_t? {
    let parts = ending.split(separator: "-", maxSplits: 1)
    guard parts.count == 2, let maker = pid_t(parts[0]), maker > 0 else { return nil }
    let (random, rest) = (parts[1].prefix(10), parts[1].dropFirst(10))
    let isRandom = random.count == 10 && random.first == "x" && random.dropFirst().allSatisfy(\.isHexDigit)
    return isRandom && (rest.isEmpty || rest.hasPrefix("-") || rest.hasPrefix(".")) ? maker : nil
  }

  /// A path for a temporary file beside a file.
  package static func path(beside path: String, _ marker: String) -> String {
    let random = (0..<9).map { _ in String(UInt8.random(in: 0..<16), radix: 16) }.joined()
    let name = beginning(of: path, marker) + "\(getpid())-x\(random)"
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return name }
    return path[...slash] + name
  }

  /// The beginning of the names: the file's own name, shortened if needed so that the file system has room for it and
  /// for SQLite's journal beside it.
  private static func beginning(of path: String, _ marker: String) -> String {
    var name = path.split(separator: "/", omittingEmptySubsequences: false).last ?? ""
    // A number of up to ten digits, "-", and ten characters.
    let room =
      FilePreparation.nameLimit(in: FilePreparation.parent(of: path)) - marker.utf8.count - 21 - "-journal".utf8.count
    while name.utf8.count > max(0, room) { name.removeLast() }
    return name + marker
  }

  private static func isOld(_ file: String) -> Bool {
    var status = stat()
    guard lstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return false }
    return time(nil) - CLibrary.modificationTime(of: status).tv_sec > 60
  }

  /// The names in a folder; none if it can't be read.
  package static func names(in folder: String) -> [String] {
    guard let directory = opendir(folder) else { return [] }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        pointer.withMemoryRebound(to: CChar.self, capacity: Int(NAME_MAX) + 1) { String(cString: $0) }
      }
      names.append(name)
    }
    return names
  }
}
