package import SQLiteStore

/// The data that processes write and read at the same time: lines, each with its writer and a number that rises by one.
package enum Load {
  // Without a key of their own, so that a line that is written twice can be seen.
  package static let migrations = [
    Migration(
      "0001_lines",
      sql: """
        CREATE TABLE line(id INTEGER PRIMARY KEY, writer INTEGER NOT NULL, number INTEGER NOT NULL, filler BLOB) STRICT;
        CREATE INDEX line_by_writer ON line(writer, number);
        """)
  ]

  package static func write(_ number: Int, by writer: Int, _ connection: Connection) throws {
    try connection.execute(
      "INSERT INTO line(writer, number, filler) VALUES (\(writer), \(number), randomblob(\(number % 700)))")
  }

  /// Each writer with how many lines there are of it; throws where one is missing or there twice.
  package static func counts(_ connection: Connection) throws -> [Int: Int] {
    var counts: [Int: Int] = [:]
    for row in try connection.rows(
      "SELECT writer, count(*), count(DISTINCT number), min(number), max(number) FROM line GROUP BY writer")
    {
      let count: Int = try row[1]
      guard try row[2] as Int == count, try row[3] as Int == 1, try row[4] as Int == count else {
        throw DatabaseError(code: .corrupt, message: "lines of writer \(try row[0] as Int) are lost or doubled")
      }
      counts[try row[0]] = count
    }
    return counts
  }
}
