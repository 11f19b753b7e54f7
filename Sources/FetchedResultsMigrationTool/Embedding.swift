/// A migration's file: its name without folder, and its bytes.
package struct MigrationFile: Sendable {
  package var name: String
  package var bytes: [UInt8]

  package init(name: String, bytes: [UInt8]) {
    self.name = name
    self.bytes = bytes
  }
}

/// Why files can't be embedded, in one sentence for the build log.
package struct EmbeddingError: Error, Equatable, CustomStringConvertible {
  package var description: String

  package init(_ description: String) {
    self.description = description
  }
}

/// The files in a folder that are migrations, or are meant to be, sorted by name.
///
/// These are all that end in .sql, in upper or lower case; a wrong name is an error of `embedding(of:)`. Hidden files
/// are not included: editors use them for locks and copies, such as .#0003_tags.sql, which is a dangling link.
package func migrationNames(among names: some Sequence<String>) -> [String] {
  names.filter { $0.utf8.first != UInt8(ascii: ".") && $0.lowercased().hasSuffix(".sql") }.sorted()
}

/// The Swift source that contains `files`, in the order of their numbers.
///
/// Throws if a name does not have the form NNNN_name.sql, if two files have the same number, if a number is missing
/// (they start at 0001 without gaps), or if a file isn't UTF-8.
package func embedding(of files: [MigrationFile]) throws(EmbeddingError) -> String {
  var migrations: [(number: Int, name: String, sql: String)] = []
  for file in files {
    let name = String(file.name.dropLast(4))
    let digits = name.prefix(4)
    let word = name.dropFirst(5)
    guard
      file.name.hasSuffix(".sql"), digits.utf8.count == 4, digits.utf8.allSatisfy({ (48...57).contains($0) }),
      let number = Int(digits), name.dropFirst(4).first == "_", !word.isEmpty,
      word.utf8.allSatisfy({ (97...122).contains($0) || (48...57).contains($0) || $0 == 95 })
    else {
      throw EmbeddingError("\(file.name): a migration is named NNNN_name.sql, in lower case, as in 0001_lists.sql")
    }
    guard let sql = String(validating: file.bytes, as: UTF8.self) else {
      throw EmbeddingError("\(file.name): this is not UTF-8")
    }
    migrations.append((number, name, sql))
  }
  migrations.sort { ($0.number, $0.name) < ($1.number, $1.name) }
  for (index, migration) in migrations.enumerated() {
    if index > 0, migrations[index - 1].number == migration.number {
      throw EmbeddingError(
        "\(migrations[index - 1].name).sql and \(migration.name).sql have the same number; "
          + "give the later one the next free number")
    }
    if migration.number != index + 1 {
      throw EmbeddingError(
        "\(migration.name).sql: number \(padded(index + 1)) is missing; numbers go from 0001 without gaps")
    }
  }

  var source = """
    // Made by FetchedResultsMigrationTool from Migrations/*.sql. Not to be edited.

    /// The schema's migrations, in order: the name of each file without .sql, and what it holds, byte for byte.
    package enum EmbeddedMigrations {
      package static let all: [(name: String, sql: String)] = [\n
    """
  for migration in migrations {
    // The line feed before the closing quotes belongs to the quotes, not to the text.
    source += "(\n\"\(migration.name)\",\n\"\"\"\n\(escaped(migration.sql))\n\"\"\"\n),\n"
  }
  return source + "  ]\n}\n"
}

/// Text as it is written in a multi-line literal. Only line feeds are written unchanged, for the compiler and for
/// readers; carriage returns are escaped because the literal would convert them to line feeds.
private func escaped(_ text: String) -> String {
  var result = ""
  for scalar in text.unicodeScalars {
    switch scalar {
    case "\\": result += "\\\\"
    case "\"": result += "\\\""
    case "\n": result += "\n"
    case " "..."~": result.unicodeScalars.append(scalar)
    default: result += "\\u{\(String(scalar.value, radix: 16))}"
    }
  }
  return result
}

private func padded(_ number: Int) -> String {
  let digits = String(number)
  return String(repeating: "0", count: max(0, 4 - digits.utf8.count)) + digits
}
