-- Lists, and the items in them.
--
-- Rules for all files here: one file is one transaction, run with foreign keys and recursive triggers on; a file that
-- has been released is never edited (its checksum is recorded), a later one mends it; a column is added, never
-- re-ordered, so that rows are not re-written.
--
-- Other programs may change rows with any SQL, also with sqlite3's defaults: foreign keys and recursive triggers are off
-- there. So triggers keep here what must hold, whatever the settings.

CREATE TABLE list(
  id INTEGER PRIMARY KEY,
  -- NOCASE, because a name is typed again and again: `+errands` means the list "Errands", and makes no second one.
  name TEXT NOT NULL COLLATE NOCASE UNIQUE CHECK (name <> ''),
  position INTEGER NOT NULL,  -- lists sort by this number; see item.position
  extra TEXT CHECK (extra GLOB '{*}')  -- see item.extra
) STRICT;

-- Unique, so that SQLite knows that the lists by position are in a total order, and need not sort their items again.
CREATE UNIQUE INDEX list_by_position ON list(position);

CREATE TABLE item(
  -- The short number that people type. AUTOINCREMENT, because SQLite would otherwise give the greatest number again
  -- once its item is gone: after `rm`, and after an `add` that was undone. Up to 2^53 - 1, which JSON readers keep
  -- exactly; an import must give a fresh number to an item whose own is out of reason, for the next `add` counts on
  -- from the greatest.
  id INTEGER PRIMARY KEY AUTOINCREMENT CHECK (id BETWEEN 1 AND 9007199254740991),
  -- In one spelling only (lower case, with hyphens), so that the same UUID can't stand twice. SQLite makes one (version
  -- 4) for a writer that gives none.
  uuid TEXT NOT NULL UNIQUE
    DEFAULT (
      lower(hex(randomblob(4))) || '-' || lower(hex(randomblob(2))) || '-4' || substr(lower(hex(randomblob(2))), 2)
      || '-' || substr('89ab', 1 + (random() & 3), 1) || substr(lower(hex(randomblob(2))), 2)
      || '-' || lower(hex(randomblob(6))))
    CHECK (uuid GLOB '????????-????-????-????-????????????' AND uuid = lower(uuid)),
  -- RESTRICT: whoever removes a list says what becomes of its items. A cascade would lose them without a word.
  list INTEGER NOT NULL REFERENCES list(id) ON DELETE RESTRICT,
  -- The place in the list. Numbers lie 2^32 apart: a new item takes max + 2^32, a moved one the middle of its new
  -- neighbours, so that a move writes one row. Only after some 32 moves into the same gap are two neighbours adjacent;
  -- then the list is spread out again in one statement:
  --   UPDATE item SET position = spread.n * 4294967296
  --   FROM (SELECT id, row_number() OVER (ORDER BY position, id) AS n FROM item WHERE list = :list) AS spread
  --   WHERE item.id = spread.id;
  -- Not unique: that statement would trip over itself, and equal places (two imports) fall back on the id.
  position INTEGER NOT NULL,
  -- Kept as given, whatever is in it: making control characters harmless is the business of who shows it.
  title TEXT NOT NULL CHECK (title <> ''),
  -- JSON arrays of text, in the order given. They are read with the item, and an edit, its undo and its difference are
  -- of one row. The checks are of the brackets only; what reads the JSON refuses what is malformed.
  notes TEXT NOT NULL DEFAULT '[]' CHECK (notes GLOB '[[]*]'),
  tags TEXT NOT NULL DEFAULT '[]' CHECK (tags GLOB '[[]*]'),
  done INTEGER NOT NULL DEFAULT 0 CHECK (done IN (0, 1)),
  -- Whether it is put away. "Open" means neither done nor archived: the literal terms `done = 0 AND archived = 0` in a
  -- query are what selects the indices below.
  archived INTEGER NOT NULL DEFAULT 0 CHECK (archived IN (0, 1)),
  -- 3 high, 2 medium, 1 low, 0 none: a number, so that an index holds the order, and no NULL, so that "none" is last by
  -- itself when read downwards.
  priority INTEGER NOT NULL DEFAULT 0 CHECK (priority BETWEEN 0 AND 3),
  -- Either a calendar day ("2031-01-02": that day, in whichever zone one is) or an instant ("2031-01-02T14:00:00Z": that
  -- moment, whatever the clock on the wall says), exactly as JSON shows it. The length tells which. The check refuses
  -- what is no date, such as 30 February (which strftime gives back as it is, unless it has to add something).
  due TEXT
    CHECK (
      due IS NULL OR due IS strftime('%Y-%m-%d', due, '+0 days')
      OR due IS strftime('%Y-%m-%dT%H:%M:%SZ', due, '+0 days')),
  -- The day under which it stands in the view by due day: `due` itself or, for an instant, its day in the zone of who
  -- wrote it. It is a column because a view must be in an index, and no index can depend on the reader's zone. A reader
  -- in another zone finds the few items for which the day differs by the index item_open_with_time, and shows their own
  -- day.
  due_day TEXT
    CHECK (
      (due IS NULL) = (due_day IS NULL)
      AND (
        due_day IS NULL OR due_day = due
        OR (
          length(due) > 10 AND due_day IS strftime('%Y-%m-%d', due_day, '+0 days')
          AND abs(julianday(due_day) - julianday(substr(due, 1, 10))) <= 1))),
  every TEXT CHECK (every IN ('day', 'week', 'month', 'year')),
  -- Where the rhythm of `every` began, by the clock on the wall: "2031-01-31" or "2031-01-31T09:00:00". Each instance is
  -- counted from here and not from the one before, so that 31 January, 28 February is followed by 31 March, 29 February
  -- comes back in leap years, and nine o'clock stays nine o'clock when summer time begins.
  anchor TEXT
    CHECK (
      anchor IS NULL
      OR (
        every IS NOT NULL
        AND (
          anchor IS strftime('%Y-%m-%d', anchor, '+0 days')
          OR anchor IS strftime('%Y-%m-%dT%H:%M:%S', anchor, '+0 days')))),
  -- The zone of `anchor`: "Europe/Berlin", or "+01:00" where the zone has no name. Instances are counted by the clocks of
  -- that zone, wherever one is done. NULL where the anchor is a day, which is the same day everywhere.
  zone TEXT CHECK (zone <> ''),
  -- The number of the instance that this one follows, which may have been removed since. Unique: whoever completes an
  -- item makes its next instance in the same transaction with ON CONFLICT DO NOTHING, and no second one comes from done,
  -- undone, done, or from two processes. No foreign key: numbers are never used again, so none can mean another item,
  -- and a removed instance that comes back (undo) is followed as before.
  previous INTEGER,
  -- Instants are text in UTC, exactly as JSON shows them ("2031-01-02T14:00:00Z"): it sorts as time does, is listed
  -- without conversion and read without help. NULL is unknown: a line of todo.txt need not say when it was made.
  created TEXT CHECK (created IS NULL OR created IS strftime('%Y-%m-%dT%H:%M:%SZ', created, '+0 days')),
  started TEXT CHECK (started IS NULL OR started IS strftime('%Y-%m-%dT%H:%M:%SZ', started, '+0 days')),
  -- An item may be done at a time that nobody knows (again todo.txt), but only a done one has a time.
  completed TEXT
    CHECK (completed IS NULL OR (done = 1 AND completed IS strftime('%Y-%m-%dT%H:%M:%SZ', completed, '+0 days'))),
  -- A JSON object of fields that came with an import and are given back by an export, such as taskwarrior's `wait` or a
  -- todo.txt priority beyond C. NULL when there are none, as nearly always.
  extra TEXT CHECK (extra GLOB '{*}')
) STRICT;

-- All items of a list in order; also what finds the last position and what the foreign key needs.
CREATE INDEX item_by_list ON item(list, position);

-- `todo list`: the open items of a list in order, without a step over the done ones, of which there will be more and
-- more. The id, by which ties are broken, is part of every index.
CREATE INDEX item_open_by_list ON item(list, position) WHERE done = 0 AND archived = 0;

-- By due day, those without a date last (SQLite reads the index in two parts for NULLS LAST).
CREATE INDEX item_open_by_due ON item(due_day, due) WHERE done = 0 AND archived = 0;
CREATE INDEX item_open_with_time ON item(due) WHERE done = 0 AND archived = 0 AND length(due) > 10;
CREATE INDEX item_open_by_priority ON item(priority DESC) WHERE done = 0 AND archived = 0;
CREATE UNIQUE INDEX item_previous ON item(previous) WHERE previous IS NOT NULL;

-- A number is permanent. (`UPDATE item SET rowid = …` does not count as an update of the column id, so these are not for
-- one column.)
CREATE TRIGGER item_keeps_its_number BEFORE UPDATE ON item WHEN new.id <> old.id BEGIN
  SELECT RAISE(ABORT, 'an item keeps its number');
END;
CREATE TRIGGER list_keeps_its_number BEFORE UPDATE ON list WHEN new.id <> old.id BEGIN
  SELECT RAISE(ABORT, 'a list keeps its number');
END;

-- An item has a list, and a list with items stays.
CREATE TRIGGER item_has_a_list_insert BEFORE INSERT ON item
WHEN NOT EXISTS (SELECT 1 FROM list WHERE id = new.list) BEGIN
  SELECT RAISE(ABORT, 'the list of the item does not exist');
END;
CREATE TRIGGER item_has_a_list_update BEFORE UPDATE OF list ON item
WHEN NOT EXISTS (SELECT 1 FROM list WHERE id = new.list) BEGIN
  SELECT RAISE(ABORT, 'the list of the item does not exist');
END;
CREATE TRIGGER list_with_items_stays BEFORE DELETE ON list
WHEN EXISTS (SELECT 1 FROM item WHERE list = old.id) BEGIN
  SELECT RAISE(ABORT, 'a list with items can not be deleted; move or delete its items first');
END;

-- What the planner should think. Without statistics SQLite takes all tables for equally large, reads all items and
-- sorts them; with these it walks the lists by position and each list's items in the order of their index, and a page
-- of twenty costs twenty rows. They are said here, and not gathered, because the plans must be the same from the first
-- item on, and because ANALYZE of a small database misleads it once it is large. They describe a full one: ten lists, a
-- hundred thousand items, one tag an item. (Tags must not outnumber items here: SQLite would build a filter of all
-- items first.)
--
-- Who adds an index to these tables adds its line.

ANALYZE sqlite_schema;  -- makes sqlite_stat1 where it is missing, and nothing else
INSERT INTO sqlite_stat1(tbl, idx, stat) VALUES
  ('list', 'sqlite_autoindex_list_1', '10 1'),
  ('list', 'list_by_position', '10 1'),
  ('item', 'sqlite_autoindex_item_1', '100000 1'),
  ('item', 'item_by_list', '100000 10000 1'),
  ('item', 'item_open_by_list', '70000 7000 1'),
  ('item', 'item_open_by_due', '70000 200 200'),
  ('item', 'item_open_by_priority', '70000 18000'),
  ('item', 'item_open_with_time', '1000 1'),
  ('item', 'item_previous', '1000 1');
ANALYZE sqlite_schema;  -- and now has this connection read it
