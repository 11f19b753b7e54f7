-- What a value can be. `v` has no type, so each value is stored as it is; `name` says what it is.

CREATE TABLE value(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, v);
INSERT INTO value(name, v) VALUES
  ('null', NULL),
  ('zero', 0),
  ('one', 1),
  ('minus one', -1),
  ('int8 max + 1', 128),
  ('int16 max + 1', 32768),
  ('int32 max + 1', 2147483648),
  ('uint32 max + 1', 4294967296),
  ('2^53 - 1', 9007199254740991),
  ('2^53', 9007199254740992),
  ('2^53 + 1', 9007199254740993),
  ('-(2^53 + 1)', -9007199254740993),
  ('int64 max', 9223372036854775807),
  ('int64 min', -9223372036854775807 - 1),
  ('real zero', 0.0),
  ('real minus zero', -0.0),
  ('real 2^53', 9007199254740992.0),
  ('real 2^53 - 1', 9007199254740991.0),
  ('real 2^63', 9223372036854775808.0),
  ('real -2^63', -9223372036854775808.0),
  ('real one tenth', 0.1),
  ('real largest', 1.7976931348623157e308),
  ('real smallest normal', 2.2250738585072014e-308),
  ('infinity', 9e999),
  ('minus infinity', -9e999),
  ('empty text', ''),
  ('text', 'text'),
  ('text that looks like an integer', '42'),
  ('text that looks like a real', '4.20'),
  ('text with quotes', 'it''s "quoted"'),
  ('text with line ends', 'a' || char(10) || 'b' || char(13, 10) || 'c'),
  ('text of one NUL', char(0)),
  ('text with NUL inside', 'before' || char(0) || 'after'),
  ('text composed', 'café'),
  ('text decomposed', 'cafe' || char(0x301)),
  ('text of one emoji family', char(0x1f469, 0x200d, 0x1f469, 0x200d, 0x1f467, 0x200d, 0x1f466)),
  ('text right to left', 'שלום'),
  ('text with direction override', 'a' || char(0x202e) || 'b'),
  ('text U+FFFF', char(0xffff)),
  ('text U+10FFFF', char(0x10ffff)),
  ('text with byte order mark', char(0xfeff) || 'a'),
  ('invalid UTF-8: lone continuation byte', CAST(x'80' AS TEXT)),
  ('invalid UTF-8: cut short', CAST(x'61e282' AS TEXT)),
  ('invalid UTF-8: overlong slash', CAST(x'c0af' AS TEXT)),
  ('invalid UTF-8: surrogate', CAST(x'eda080' AS TEXT)),
  ('invalid UTF-8: never a byte', CAST(x'61ff62' AS TEXT)),
  ('text of 64 KiB', replace(hex(zeroblob(32768)), '00', 'ab')),
  ('empty blob', x''),
  ('blob of one zero', x'00'),
  ('blob that spells text', CAST('text' AS BLOB)),
  ('blob of all bytes', x'000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f202122232425262728292a2b2c2d2e2f303132333435363738393a3b3c3d3e3f404142434445464748494a4b4c4d4e4f505152535455565758595a5b5c5d5e5f606162636465666768696a6b6c6d6e6f707172737475767778797a7b7c7d7e7f808182838485868788898a8b8c8d8e8f909192939495969798999a9b9c9d9e9fa0a1a2a3a4a5a6a7a8a9aaabacadaeafb0b1b2b3b4b5b6b7b8b9babbbcbdbebfc0c1c2c3c4c5c6c7c8c9cacbcccdcecfd0d1d2d3d4d5d6d7d8d9dadbdcdddedfe0e1e2e3e4e5e6e7e8e9eaebecedeeeff0f1f2f3f4f5f6f7f8f9fafbfcfdfeff');

-- The same text under each built-in collation; SQLite folds and trims ASCII only.
CREATE TABLE collated(
  id INTEGER PRIMARY KEY,
  "binary" TEXT COLLATE BINARY,
  nocase TEXT COLLATE NOCASE,
  rtrim TEXT COLLATE RTRIM
) STRICT;
CREATE INDEX collated_binary ON collated("binary");
CREATE INDEX collated_nocase ON collated(nocase);
CREATE INDEX collated_rtrim ON collated(rtrim);
INSERT INTO collated("binary", nocase, rtrim)
  SELECT value, value, value FROM json_each(
    '["a", "A", "b", "B", "a ", "a  ", "A ", " a", "a\t", "ä", "Ä", "z", "Z", "_", "[", "`", "", " ", "ab", "aB", "Ab", "é", "é", "日本", "😀", null]');

-- Each storage class in one column, of each affinity: what SQLite makes of the same values.
CREATE TABLE mixed(
  id INTEGER PRIMARY KEY,
  none,
  i INTEGER,
  r REAL,
  n NUMERIC,
  t TEXT,
  b BLOB
);
CREATE INDEX mixed_none ON mixed(none);
INSERT INTO mixed(none, i, r, n, t, b) VALUES
  (NULL, NULL, NULL, NULL, NULL, NULL),
  (1, 1, 1, 1, 1, 1),
  (1.0, 1.0, 1.0, 1.0, 1.0, 1.0),
  (1.5, 1.5, 1.5, 1.5, 1.5, 1.5),
  ('1', '1', '1', '1', '1', '1'),
  ('1.0', '1.0', '1.0', '1.0', '1.0', '1.0'),
  ('1e3', '1e3', '1e3', '1e3', '1e3', '1e3'),
  (' 1', ' 1', ' 1', ' 1', ' 1', ' 1'),
  ('one', 'one', 'one', 'one', 'one', 'one'),
  (x'31', x'31', x'31', x'31', x'31', x'31'),
  (9007199254740993, 9007199254740993, 9007199254740993, 9007199254740993, 9007199254740993, 9007199254740993);

-- Names that must be quoted.
CREATE TABLE "select ""from"" [where]"("a b" INTEGER PRIMARY KEY, "" TEXT, "日本" TEXT, "order" TEXT);
INSERT INTO "select ""from"" [where]" VALUES (1, 'empty name', 'not ASCII', 'keyword');

-- Columns that are computed: the virtual one is in no row, the stored one is.
CREATE TABLE computed(
  id INTEGER PRIMARY KEY,
  a INTEGER NOT NULL,
  twice INTEGER GENERATED ALWAYS AS (a * 2) VIRTUAL,
  thrice INTEGER GENERATED ALWAYS AS (a * 3) STORED
) STRICT;
INSERT INTO computed(a) VALUES (1), (-7), (0);
-- A row older than a column: the file holds no value for it, and SQLite fills in the default when it reads.
CREATE TABLE grown(id INTEGER PRIMARY KEY, a TEXT) STRICT;
INSERT INTO grown(a) VALUES ('before');
ALTER TABLE grown ADD COLUMN b TEXT NOT NULL DEFAULT 'default';
INSERT INTO grown(a, b) VALUES ('after', 'given');
