import Foundation

/// A file of Fixtures/, which tests copy and never open in place.
///
///     let path = try Fixture.copy(.edgeValues)
///
/// What each one is for is said in Fixtures/README.md.
public struct Fixture: Hashable, Sendable {
  /// The file's name in Fixtures/.
  public let name: String
  /// Whether the copy is made read-only, which git doesn't keep.
  public let isReadOnly: Bool

  /// Names a file in Fixtures/; the usual ones have names of their own below.
  public init(name: String, isReadOnly: Bool = false) {
    self.name = name
    self.isReadOnly = isReadOnly
  }

  /// The checkout that this was built from, without a slash at the end.
  public static let checkout = #filePath.split(separator: "/").dropLast(3).reduce(into: "") { $0 += "/" + $1 }

  /// The original's path: to read its bytes, never to open it as a database.
  public var original: String { "\(Self.checkout)/Fixtures/\(name)" }

  /// Copies a fixture, with its -wal if there is one, into a new folder, and returns the copy's path.
  ///
  /// The folder is deleted when the test process ends. The copy is readable and writable by its owner alone, except
  /// that of `.readOnly`, which nobody may write (root can nevertheless).
  public static func copy(_ fixture: Fixture) throws -> String {
    let files = FileManager.default
    let copy = try TemporaryFolder.make() + "/" + fixture.name
    for suffix in ["", "-wal"] {
      let original = fixture.original + suffix
      guard suffix.isEmpty || files.fileExists(atPath: original) else { continue }
      try files.copyItem(atPath: original, toPath: copy + suffix)
      try files.setAttributes([.posixPermissions: fixture.isReadOnly ? 0o444 : 0o600], ofItemAtPath: copy + suffix)
    }
    return copy
  }
}

extension Fixture {
  /// The to-do sample, newest schema.
  public static let todoSample = Fixture(name: "todo-sample.db")
  /// A to-do database that a newer program has migrated.
  public static let todoNewer = Fixture(name: "todo-newer.db")
  /// A to-do database that lacks the last migration.
  public static let todoOlder = Fixture(name: "todo-older.db")
  /// A to-do database that a development version before 0.9.0 has written.
  public static let todoBeforeFirstRelease = Fixture(name: "todo-before-0.9.0.db")

  /// A shop: several related tables.
  public static let related = Fixture(name: "related.db")
  /// Values at the edges of what SQLite and Swift can hold.
  public static let edgeValues = Fixture(name: "edge-values.db")
  /// Tables without rowid.
  public static let withoutRowid = Fixture(name: "without-rowid.db")
  /// Text in UTF-8, to compare with the UTF-16 ones.
  public static let utf8 = Fixture(name: "utf8.db")
  /// The same in UTF-16, little endian.
  public static let utf16LittleEndian = Fixture(name: "utf16le.db")
  /// The same in UTF-16, big endian.
  public static let utf16BigEndian = Fixture(name: "utf16be.db")
  /// A database in rollback-journal mode.
  public static let rollbackJournal = Fixture(name: "rollback.db")
  /// A database whose last commits are in the -wal beside it.
  public static let wal = Fixture(name: "wal.db")
  /// A database whose copy has the mode 0444.
  public static let readOnly = Fixture(name: "read-only.db", isReadOnly: true)

  /// A database with a damaged page in the table `bad`; the table `good` is whole.
  public static let corrupt = Fixture(name: "corrupt.db")
  /// A database that was cut off.
  public static let truncated = Fixture(name: "truncated.db")
  /// A text.
  public static let notADatabase = Fixture(name: "not-a-database.db")
  /// No bytes at all.
  public static let empty = Fixture(name: "empty.db")
}
