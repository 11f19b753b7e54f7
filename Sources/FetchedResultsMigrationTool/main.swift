// FetchedResultsMigrationTool OUTPUT FOLDER [NAME…]: writes the Swift source with the SQL files of a folder. The
// plugin FetchedResultsMigrations runs it. The plugin adds the names so that SwiftPM runs it again when a file is added
// or removed; they are not used.
//
// It doesn't use Foundation: it is built and linked before anything that needs it, in every clone and configuration, so
// it should be small. A few calls of the C library are enough to read and write files.

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

func contents(of path: String) throws(EmbeddingError) -> [UInt8] {
  guard let file = fopen(path, "rb") else {
    let reason = errno
    var status = stat()
    let isLink = lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK
    throw EmbeddingError(
      isLink && reason == ENOENT
        ? "\(path): this is a link that leads to no file; remove it, or make the file"
        : "\(path): cannot be read: \(String(cString: strerror(reason)))")
  }
  defer { fclose(file) }
  var bytes: [UInt8] = []
  var buffer = [UInt8](repeating: 0, count: 65536)
  while true {
    let count = fread(&buffer, 1, buffer.count, file)
    if count == 0 { break }
    bytes += buffer[..<count]
  }
  if ferror(file) != 0 { throw EmbeddingError("\(path): cannot be read; is it a file?") }
  return bytes
}

func names(in folder: String) throws(EmbeddingError) -> [String] {
  guard let directory = opendir(folder) else {
    throw EmbeddingError("\(folder): cannot be read: \(String(cString: strerror(errno)))")
  }
  defer { closedir(directory) }
  var names: [String] = []
  while let entry = readdir(directory) {
    names.append(
      withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        pointer.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: pointer.pointee)) {
          String(cString: $0)
        }
      })
  }
  return names
}

func save(_ text: String, to path: String) throws(EmbeddingError) {
  let bytes = Array(text.utf8)
  // What uses a file that isn't written again is not compiled again.
  if let before = try? contents(of: path), before == bytes { return }
  guard let file = fopen(path, "wb") else { throw EmbeddingError("\(path): cannot be written") }
  let written = fwrite(bytes, 1, bytes.count, file)
  guard fclose(file) == 0, written == bytes.count else { throw EmbeddingError("\(path): cannot be written") }
}

do throws(EmbeddingError) {
  guard CommandLine.arguments.count >= 3 else {
    throw EmbeddingError("usage: FetchedResultsMigrationTool OUTPUT FOLDER")
  }
  var folder = CommandLine.arguments[2]
  while folder.utf8.count > 1, folder.utf8.last == UInt8(ascii: "/") { folder.removeLast() }
  var files: [MigrationFile] = []
  for name in migrationNames(among: try names(in: folder)) {
    files.append(MigrationFile(name: name, bytes: try contents(of: "\(folder)/\(name)")))
  }
  try save(embedding(of: files), to: CommandLine.arguments[1])
} catch {
  // SwiftPM and Xcode show "error: …" as an error of the build.
  let message = "error: Migrations: \(error)\n"
  _ = write(2, message, message.utf8.count)
  exit(1)
}
