-- Tables that have no rowid: a change there is known by its key's columns, whatever their number, order and type.

CREATE TABLE word(word TEXT PRIMARY KEY COLLATE NOCASE, count INTEGER NOT NULL) STRICT, WITHOUT ROWID;
CREATE INDEX word_count ON word(count);
INSERT INTO word VALUES ('the', 120), ('Of', 80), ('and', 80), ('zebra', 1), ('Äpfel', 2);

-- The key's columns are neither first nor in the table's order, and one sorts downwards.
CREATE TABLE reading(
  value REAL,
  sensor TEXT NOT NULL,
  note TEXT,
  at INTEGER NOT NULL,
  PRIMARY KEY (at DESC, sensor)
) STRICT, WITHOUT ROWID;
INSERT INTO reading VALUES
  (20.5, 'attic', NULL, 1767225600), (19.0, 'cellar', 'damp', 1767225600), (21.25, 'attic', NULL, 1767229200);

-- A key without a type: NULL is refused there, everything else may stand.
CREATE TABLE anything(key PRIMARY KEY, v) WITHOUT ROWID;
INSERT INTO anything VALUES (1, 'integer'), (1.5, 'real'), ('1', 'text'), (x'31', 'blob'), ('', 'empty text'), (x'', 'empty blob');

-- A parent without rowid, with children that go with it.
CREATE TABLE child(
  word TEXT NOT NULL COLLATE NOCASE REFERENCES word(word) ON DELETE CASCADE ON UPDATE CASCADE,
  n INTEGER NOT NULL,
  PRIMARY KEY (word, n)
) STRICT, WITHOUT ROWID;
INSERT INTO child VALUES ('the', 1), ('the', 2), ('of', 1);
