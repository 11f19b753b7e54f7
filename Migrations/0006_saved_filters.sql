-- Filters with a name, and what `todo next` reads.

-- The words of a filter as they were typed, in a JSON array: "due:today" means another day tomorrow.
CREATE TABLE saved_filter(
  name TEXT NOT NULL PRIMARY KEY COLLATE NOCASE CHECK (name <> ''),
  words TEXT NOT NULL CHECK (words GLOB '[[]*]')
) STRICT;

-- The few items that were started, and the important ones by date, so that the first ten of each are read, and no more.
CREATE INDEX item_open_started ON item(due_day, due) WHERE done = 0 AND archived = 0 AND started IS NOT NULL;
CREATE INDEX item_open_high ON item(due_day, due) WHERE done = 0 AND archived = 0 AND priority = 3;

INSERT INTO sqlite_stat1(tbl, idx, stat) VALUES
  ('saved_filter', 'sqlite_autoindex_saved_filter_1', '10 1'),
  ('item', 'item_open_started', '100 2 1'),
  ('item', 'item_open_high', '5000 20 1');
ANALYZE sqlite_schema;
