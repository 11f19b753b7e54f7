-- Text of every width: one, two, three and four bytes in UTF-8, one and two units in UTF-16.
-- SQLite sorts BINARY text by its bytes in the file's encoding, so 'U+FF41' and the emoji change places between them.

CREATE TABLE text(id INTEGER PRIMARY KEY, t TEXT, n TEXT COLLATE NOCASE);
CREATE INDEX text_t ON text(t);
INSERT INTO text(t, n) VALUES
  ('a', 'a'), ('B', 'B'), ('é', 'é'), ('ａ', 'ａ'), ('日本', '日本'), ('😀', '😀'), ('', ''), (NULL, NULL),
  ('nul' || char(0) || 'inside', 'A');
