package import SQLiteStore

/// Transactions that can be checked afterwards: numbered from 1, each with its rows and a line with their number.
package enum Batches {
  package static let migrations = [
    Migration(
      "0001_batches",
      sql: """
        CREATE TABLE batch(number INTEGER PRIMARY KEY, rows INTEGER NOT NULL) STRICT;
        CREATE TABLE part(
          id INTEGER PRIMARY KEY, batch INTEGER NOT NULL REFERENCES batch(number), filler BLOB NOT NULL) STRICT;
        CREATE INDEX part_by_batch ON part(batch);
        """),
    Migration("0002_sizes", sql: "ALTER TABLE part ADD COLUMN size INTEGER NOT NULL DEFAULT 0"),
  ]

  /// Writes one; `removing` is one whose rows are removed with it, if it is there.
  package static func write(
    _ number: Int, rows: Int, bytes: Int, removing removed: Int = 0, _ connection: Connection
  ) throws {
    try connection.execute("INSERT INTO batch(number, rows) VALUES (\(number), \(rows))")
    for _ in 0..<rows {
      try connection.execute(
        "INSERT INTO part(batch, filler, size) VALUES (\(number), randomblob(\(bytes)), \(max(1, bytes)))")
    }
    try connection.execute("UPDATE batch SET rows = 0 WHERE number = \(removed)")
    try connection.execute("DELETE FROM part WHERE batch = \(removed)")
  }

  /// The problems of the batches in a database, as one query that returns no row if all is well.
  package static let problems = """
    SELECT 'batch ' || number FROM batch WHERE rows <> (SELECT count(*) FROM part WHERE part.batch = batch.number)
    UNION ALL SELECT 'row ' || id FROM part WHERE length(filler) <> size
    UNION ALL SELECT 'gap' WHERE (SELECT count(*) FROM batch) <> (SELECT coalesce(max(number), 0) FROM batch)
    """
}
