#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A database file in a folder of this process's own.
struct DamagedFile {
  let path: String

  init(_ bytes: [UInt8], name: String = "todo.db") throws {
    path = "\(try Self.folder.get())/\(name)"
    remove()
    let file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    guard file >= 0 else { throw Finding("\(path) can't be written") }
    defer { close(file) }
    guard writeAll(file, bytes, bytes.count) == bytes.count else { throw Finding("\(path) can't be written") }
  }

  /// Removes it, and what SQLite has put beside it.
  func remove() { for suffix in ["", "-wal", "-shm", "-journal"] { unlink(path + suffix) } }

  /// In memory where there is such a folder, as each of some hundred files a second would else wait for the disk.
  private static let folder: Result<String, Finding> = Result { () throws(Finding) in
    let base = getenv("FUZZ_FOLDER").map { String(cString: $0) } ?? "/tmp"
    var template = Array("\(base)/fuzz-XXXXXX".utf8CString)
    guard let folder = template.withUnsafeMutableBufferPointer({ $0.baseAddress.flatMap { mkdtemp($0) } }) else {
      throw Finding("there can be no folder in \(base)")
    }
    atexit { DamagedFile.removeFolder() }
    return String(cString: folder)
  }

  private static func removeFolder() {
    guard case .success(let folder) = folder else { return }
    for name in ["todo.db", "store.db", "other.db", "empty.db"] { DamagedFile(path: "\(folder)/\(name)").remove() }
    rmdir(folder)
  }

  private init(path: String) { self.path = path }

  // MARK: Damage

  /// A database of the fixtures: the older is migrated, two others are refused, and the sample is the newest.
  static func original(_ choice: Int) throws -> [UInt8] {
    let names = ["todo-older.db", "todo-newer.db", "todo-before-0.9.0.db", "todo-sample.db"]
    let checkout = #filePath.split(separator: "/").dropLast(5).reduce(into: "") { $0 += "/" + $1 }
    return try bytes(of: "\(checkout)/Fixtures/\(names[choice])")
  }

  static func bytes(of path: String) throws -> [UInt8] {
    let file = open(path, O_RDONLY)
    guard file >= 0 else { throw Finding("there is no \(path)") }
    defer { close(file) }
    return try Array(unsafeUninitializedCapacity: 1 << 20) { buffer, count in
      count = readAll(file, buffer.baseAddress, buffer.count)
      if count <= 0 { throw Finding("\(path) can't be read") }
    }
  }

  private static let page = 512

  /// The file with some of its bytes, numbers or pages others.
  static func damaged(_ original: [UInt8], _ source: inout ByteSource) -> [UInt8] {
    var file = original
    while !source.isAtEnd {
      let kind = source.byte()
      let pages = max(1, file.count / page)
      let start = source.number(below: pages) * page
      switch kind % 8 {
      case 0, 1: put([source.byte()], at: start + offset(&source), &file)
      case 2:  // in the head of a page, or of the database
        put([source.byte()], at: start + source.number(below: start == 0 ? 108 : 12), &file)
      case 3: put([0xFF, source.byte(), 0xFF, source.byte()], at: start + offset(&source), &file)
      case 4: put([UInt8](repeating: source.byte(), count: page), at: start, &file)
      case 5: put(Array(original.dropFirst(source.number(below: pages) * page).prefix(page)), at: start, &file)
      case 6: put(source.field(), at: start + offset(&source), &file)
      default:
        let cut = start + offset(&source)
        if cut < file.count { file.removeSubrange(cut...) }
      }
    }
    return file
  }

  private static func offset(_ source: inout ByteSource) -> Int { source.number(below: page) }

  private static func put(_ bytes: [UInt8], at place: Int, _ file: inout [UInt8]) {
    for (index, byte) in bytes.enumerated() where place + index < file.count { file[place + index] = byte }
  }
}

// Inside the type the names of its own functions hide those of C.
private let writeAll = write
private let readAll = read
