import SQLiteStore
import Testing

@Suite struct TriggersLeftOutTests {
  @Test(arguments: CaptureSetup.all) func `those of the schema do not fire and the capture sees all`(
    _ setup: CaptureSetup
  ) throws {
    let o = try setup.make()
    try o.database.write { c in
      try c.executeScript(
        """
        CREATE TABLE t(id INTEGER PRIMARY KEY);
        CREATE TABLE log(id INTEGER PRIMARY KEY);
        CREATE TRIGGER t_log AFTER INSERT ON t BEGIN INSERT INTO log VALUES (new.id); END;
        """)
    }
    o.observe("t", "log")
    let changes = try o.changes { c in
      try c.execute("INSERT INTO t VALUES (1)")
      try c.withoutTriggers { _ = try c.execute("INSERT INTO t VALUES (2)") }
      try c.execute("INSERT INTO t VALUES (3)")
    }
    #expect(changes == [["t": .rowIDs([1, 2, 3]), "log": .rowIDs([1, 3])]])
  }

  @Test func `they fire again after an error`() throws {
    let database = try Database.inMemory()
    try database.write { c in
      try c.executeScript(
        """
        CREATE TABLE t(id INTEGER PRIMARY KEY);
        CREATE TRIGGER no BEFORE INSERT ON t WHEN new.id = 2 BEGIN SELECT RAISE(ABORT, 'no'); END;
        """)
      #expect(throws: DatabaseError.self) {
        try c.withoutTriggers {
          try c.execute("INSERT INTO t VALUES (2)")
          try c.execute("INSERT INTO t VALUES (2)")
        }
      }
      try c.execute("DELETE FROM t")
      #expect(throws: DatabaseError.self) { try c.execute("INSERT INTO t VALUES (2)") }
    }
  }
}
