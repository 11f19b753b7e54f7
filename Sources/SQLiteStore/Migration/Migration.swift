/// A step from one version of the schema to the next.
///
/// ```swift
/// try database.migrate([
///   Migration("0001_items", sql: "CREATE TABLE item(id INTEGER PRIMARY KEY, title TEXT NOT NULL) STRICT"),
///   Migration("0002_due", sql: "ALTER TABLE item ADD COLUMN due TEXT"),
/// ])
/// ```
///
/// A migration that has been applied anywhere must not change; add another one.
public struct Migration: Sendable {
  /// Its name, unique in the list.
  public let name: String
  /// Identifies its content; a different one under the same name is an error.
  public let checksum: String
  let body: @Sendable (Connection) throws -> Void

  /// A migration in SQL: a script of statements. Its text is its checksum.
  public init(_ name: String, sql: String) {
    self.name = name
    checksum = Self.checksum(of: sql)
    body = { try $0.executeScript(sql) }
  }

  /// A migration in Swift, for what SQL can't express. Change `version` when you change the code and it has not been
  /// applied anywhere yet.
  public init(_ name: String, version: String = "1", _ body: @escaping @Sendable (Connection) throws -> Void) {
    self.name = name
    checksum = "swift-" + version
    self.body = body
  }

  /// FNV-1a over the bytes, in 16 hexadecimal digits. It detects a change, not an attack.
  package static func checksum(of text: String) -> String {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    // Over the bytes in place, which is ten times as fast as over a view of the text.
    var text = text
    text.withUTF8 { for byte in $0 { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01b3 } }
    let digits = String(hash, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}

extension Migration: CustomStringConvertible {
  /// The name.
  public var description: String { name }
}
