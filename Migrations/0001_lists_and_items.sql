-- Lists, and the items in them.
--
-- Rules for all files here: one file is one transaction, run with foreign keys and recursive triggers on and the schema
-- not trusted; a file that has been released is never edited (its checksum is recorded), a later one mends it; a column
-- is added, never re-ordered, so that rows are not re-written.

CREATE TABLE list(
  id INTEGER PRIMARY KEY,
  -- NOCASE, because a name is typed again and again: `+errands` means the list "Errands", and makes no second one.
  name TEXT NOT NULL COLLATE NOCASE UNIQUE CHECK (name <> ''),
  position INTEGER NOT NULL  -- lists sort by this number; see item.position
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
  note TEXT NOT NULL DEFAULT '',
  done INTEGER NOT NULL DEFAULT 0 CHECK (done IN (0, 1)),
  -- Instants are text in UTC, exactly as JSON shows them ("2031-01-02T14:00:00Z"): it sorts as time does, is listed
  -- without conversion and read without help. The check refuses what is no date, such as 30 February
  -- (which strftime gives back as it is, unless it has to add something). NULL is unknown: a line of todo.txt need not
  -- say when it was made.
  created TEXT CHECK (created IS NULL OR created IS strftime('%Y-%m-%dT%H:%M:%SZ', created, '+0 days')),
  -- An item may be done at a time that nobody knows (again todo.txt), but only a done one has a time.
  completed TEXT
    CHECK (completed IS NULL OR (done = 1 AND completed IS strftime('%Y-%m-%dT%H:%M:%SZ', completed, '+0 days')))
) STRICT;

-- All items of a list in order; also what finds the last position and what the foreign key needs.
CREATE INDEX item_by_list ON item(list, position);

-- `todo list`: the open items of a list in order, without a step over the done ones, of which there will be more and
-- more. The id, by which ties are broken, is part of every index.
CREATE INDEX item_open_by_list ON item(list, position) WHERE done = 0;

-- A number is permanent.
CREATE TRIGGER item_keeps_its_number BEFORE UPDATE OF id ON item WHEN new.id <> old.id BEGIN
  SELECT RAISE(ABORT, 'an item keeps its number');
END;
