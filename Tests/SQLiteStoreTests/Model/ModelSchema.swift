/// The tables that the random calls write to.
enum ModelSchema {
  /// Tables of each kind, every conflict clause in a constraint, and triggers that raise all that can be raised.
  static let main = """
    CREATE TABLE item(id INTEGER PRIMARY KEY, title TEXT UNIQUE, weight REAL NOT NULL DEFAULT 0 CHECK (weight < 1000), note);
    CREATE TABLE pair(a TEXT, b INTEGER, c, PRIMARY KEY (a, b)) WITHOUT ROWID;
    CREATE TABLE word(id TEXT PRIMARY KEY NOT NULL, n INTEGER UNIQUE);
    CREATE TABLE child(id INTEGER PRIMARY KEY AUTOINCREMENT, item REFERENCES item(id) ON DELETE CASCADE,
      later REFERENCES item(id) DEFERRABLE INITIALLY DEFERRED, held REFERENCES word(id));
    CREATE TABLE typed(id INTEGER PRIMARY KEY, a INT NOT NULL, b BLOB, c ANY) STRICT;
    CREATE TABLE clause(id INTEGER PRIMARY KEY ON CONFLICT REPLACE, a UNIQUE ON CONFLICT IGNORE,
      b NOT NULL ON CONFLICT ROLLBACK, c UNIQUE ON CONFLICT FAIL);
    CREATE TABLE log(text);
    CREATE TRIGGER item_in BEFORE INSERT ON item WHEN new.weight BETWEEN 900 AND 904 BEGIN
      INSERT INTO log VALUES ('in ' || coalesce(new.title, ''));
      SELECT CASE new.weight WHEN 901 THEN RAISE(IGNORE) WHEN 902 THEN RAISE(ABORT, 'abort in')
        WHEN 903 THEN RAISE(FAIL, 'fail in') WHEN 904 THEN RAISE(ROLLBACK, 'rollback in') END;
    END;
    CREATE TRIGGER item_new AFTER INSERT ON item WHEN new.weight BETWEEN 900 AND 906 BEGIN
      INSERT INTO log VALUES ('new ' || new.id);
      SELECT CASE new.weight WHEN 905 THEN RAISE(ABORT, 'abort new') WHEN 906 THEN RAISE(IGNORE) END;
    END;
    CREATE TRIGGER item_changed AFTER INSERT ON item WHEN new.weight BETWEEN 907 AND 908 BEGIN
      UPDATE item SET note = 'changed' WHERE id = new.id;
      DELETE FROM item WHERE id = new.id AND weight = 908;
    END;
    CREATE TRIGGER item_up BEFORE UPDATE ON item WHEN new.weight BETWEEN 910 AND 914 BEGIN
      INSERT INTO log VALUES ('up ' || old.id);
      SELECT CASE new.weight WHEN 911 THEN RAISE(IGNORE) WHEN 912 THEN RAISE(ABORT, 'abort up')
        WHEN 913 THEN RAISE(FAIL, 'fail up') WHEN 914 THEN RAISE(ROLLBACK, 'rollback up') END;
    END;
    CREATE TRIGGER item_out BEFORE DELETE ON item WHEN old.weight BETWEEN 920 AND 924 BEGIN
      INSERT INTO log VALUES ('out ' || old.id);
      SELECT CASE old.weight WHEN 921 THEN RAISE(IGNORE) WHEN 922 THEN RAISE(ABORT, 'abort out')
        WHEN 923 THEN RAISE(FAIL, 'fail out') END;
    END;
    CREATE VIEW shown AS SELECT id, title, weight, note FROM item;
    CREATE TRIGGER shown_in INSTEAD OF INSERT ON shown BEGIN
      SELECT CASE WHEN new.weight = 931 THEN RAISE(IGNORE) END;
      INSERT INTO item VALUES (new.id, new.title, new.weight, new.note);
    END;
    CREATE TRIGGER shown_up INSTEAD OF UPDATE ON shown BEGIN
      SELECT CASE WHEN new.weight = 931 THEN RAISE(IGNORE) END;
      UPDATE item SET title = new.title, weight = new.weight, note = new.note WHERE id = old.id;
    END;
    CREATE TRIGGER shown_out INSTEAD OF DELETE ON shown BEGIN
      SELECT CASE WHEN old.weight = 931 THEN RAISE(IGNORE) END;
      DELETE FROM item WHERE id = old.id;
    END
    """

  /// Those of the attached file.
  static let attached = """
    CREATE TABLE IF NOT EXISTS o.box(id INTEGER PRIMARY KEY, title TEXT UNIQUE);
    CREATE TABLE IF NOT EXISTS o.part(id INTEGER PRIMARY KEY, title TEXT UNIQUE, box REFERENCES box(id));
    CREATE TRIGGER IF NOT EXISTS o.part_in BEFORE INSERT ON part WHEN new.title = 'ignored' BEGIN
      INSERT INTO box(title) VALUES ('seen') ON CONFLICT DO NOTHING;
      SELECT RAISE(IGNORE);
    END
    """

  /// Settings of a connection that each access must find as the one before did.
  static let settings = [
    "foreign_keys", "recursive_triggers", "ignore_check_constraints", "busy_timeout", "query_only",
    "defer_foreign_keys", "reverse_unordered_selects", "synchronous", "cache_size", "temp_store", "trusted_schema",
    "locking_mode", "journal_mode", "secure_delete", "writable_schema", "legacy_alter_table", "short_column_names",
  ]

  /// Statements that would change one of them, or the files of one connection.
  static let changes = [
    "PRAGMA ignore_check_constraints = 1", "PRAGMA busy_timeout = 7", "PRAGMA query_only(1)", "PRAGMA query_only = 0",
    "PRAGMA case_sensitive_like = 1", "PRAGMA foreign_keys = OFF", "PRAGMA recursive_triggers = 0",
    "PRAGMA \"ignore_check_constraints\" = on", "/* a */ pragma main.case_sensitive_like(true)",
    "PRAGMA reverse_unordered_selects = 1", "PRAGMA synchronous = 0", "PRAGMA cache_size = 3",
    "PRAGMA journal_mode = MEMORY", "PRAGMA locking_mode = EXCLUSIVE", "PRAGMA writable_schema = 1",
    "PRAGMA [secure_delete] = 1", "PRAGMA temp_store = 2", "EXPLAIN PRAGMA foreign_keys = 0",
    "DETACH o", "ATTACH ':memory:' AS p",
  ]
}
