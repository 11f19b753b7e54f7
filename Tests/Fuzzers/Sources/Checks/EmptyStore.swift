import TodoCore

/// Databases in which there is nothing yet, of a file that is made once: the migrations take longer than all the rest.
enum EmptyStore {
  private static let file = Result {
    let file = try DamagedFile([], name: "empty.db")
    defer { file.remove() }
    try TodoStore.open(DatabaseLocation(path: file.path)).close()
    return try DamagedFile.bytes(of: file.path)
  }

  /// Of several at once, each has a name of its own.
  static func make(_ name: String, _ moment: Moment) throws -> TodoStore {
    let copy = try DamagedFile(try file.get(), name: name)
    return try TodoStore.open(DatabaseLocation(path: copy.path)) { moment }
  }
}
