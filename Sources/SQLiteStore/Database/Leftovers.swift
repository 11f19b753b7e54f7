#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Files with names for a while (`todo-copy.db.partial-1234-…`) that a process left behind when it was killed.
package enum Leftovers {
  /// Removes those beside a file. The number of the process that made one stands in its name: what belongs to a process that is
  /// still there, or was written to in the last minute (by one in another container), is left alone.
  package static func remove(of path: String, _ marker: String) {
    let folder = FilePreparation.parent(of: path)
    let beginning = String(path.split(separator: "/", omittingEmptySubsequences: false).last ?? "") + marker
    for name in names(in: folder) where name.hasPrefix(beginning) {
      let file = folder + "/" + name
      guard let maker = pid_t(name.dropFirst(beginning.count).prefix { $0.isASCII && $0.isNumber }), maker > 0,
        kill(maker, 0) != 0, errno == ESRCH, isOld(file)
      else { continue }
      unlink(file)
    }
  }

  private static func isOld(_ file: String) -> Bool {
    var status = stat()
    guard lstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return false }
    #if canImport(Darwin)
      let changed = status.st_mtimespec.tv_sec
    #else
      let changed = status.st_mtim.tv_sec
    #endif
    return time(nil) - changed > 60
  }

  private static func names(in folder: String) -> [String] {
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
