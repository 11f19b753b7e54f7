// EmbedMigrations OUTPUT INPUT…: writes the Swift source that holds the SQL files. Run by the plugin MigrationEmbedder.
//
// Without Foundation: this is built and linked before anything that needs it can be, in every clone and configuration, so
// it had better be small. A few calls of the C library read and write files as well.

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

func contents(of path: String) throws(EmbeddingError) -> [UInt8] {
  guard let file = fopen(path, "rb") else { throw EmbeddingError("\(path): cannot be read") }
  defer { fclose(file) }
  var bytes: [UInt8] = []
  var buffer = [UInt8](repeating: 0, count: 65536)
  while true {
    let count = fread(&buffer, 1, buffer.count, file)
    if count == 0 { break }
    bytes += buffer[..<count]
  }
  if ferror(file) != 0 { throw EmbeddingError("\(path): cannot be read") }
  return bytes
}

func save(_ text: String, to path: String) throws(EmbeddingError) {
  let bytes = Array(text.utf8)
  guard let file = fopen(path, "wb") else { throw EmbeddingError("\(path): cannot be written") }
  let written = fwrite(bytes, 1, bytes.count, file)
  guard fclose(file) == 0, written == bytes.count else { throw EmbeddingError("\(path): cannot be written") }
}

do throws(EmbeddingError) {
  guard CommandLine.arguments.count >= 2 else { throw EmbeddingError("usage: EmbedMigrations OUTPUT INPUT…") }
  var files: [MigrationFile] = []
  for path in CommandLine.arguments.dropFirst(2) {
    let name = path.split { $0 == "/" || $0 == "\\" }.last.map(String.init) ?? path
    files.append(MigrationFile(name: name, bytes: try contents(of: path)))
  }
  try save(embedding(of: files), to: CommandLine.arguments[1])
} catch {
  // "error: …" is what SwiftPM and Xcode show as an error of the build.
  let message = "error: Migrations: \(error)\n"
  _ = write(2, message, message.utf8.count)
  exit(1)
}
