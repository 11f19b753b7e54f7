-- What was changed, by whom it can be taken back: undo, redo, the log and the revision, for every process alike.
--
-- A writer begins its transaction with
--   INSERT INTO change(label) VALUES ('add "Milk"');
-- makes its changes, and ends it with
--   UPDATE change SET open = 0 WHERE open = 1;
-- or rolls back when nothing was recorded. Triggers write down each row as it was. To take a change back is to insert
-- one that says so (`undoes`): the rows of the journal are put back in reverse, which is itself recorded, so redo is to
-- undo the undo. All changes are recorded, whoever makes them, and they are undone last one first; so what an undo
-- finds is exactly what its change left behind.
--
-- The rows are kept as rows (and not as JSON or as SQL text) because values then come back exactly, NUL bytes included,
-- and nothing that stands in a file is ever run as SQL.

CREATE TABLE change(
  -- The revision: how many commits changed something. AUTOINCREMENT, so that it never falls, even when old changes are
  -- pruned (`DELETE FROM change WHERE id <= …`).
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  -- What it was, to say what an undo will take back.
  label TEXT NOT NULL DEFAULT '',
  made TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%SZ', 'now'))
    CHECK (made IS strftime('%Y-%m-%dT%H:%M:%SZ', made, '+0 days')),
  kind TEXT NOT NULL DEFAULT 'do' CHECK (kind IN ('do', 'undo', 'redo')),
  -- The change that this one takes back: for a redo, the undo. No foreign key: it may have been pruned since.
  undoes INTEGER,
  -- Whether it has been taken back, or can't be any more.
  spent INTEGER NOT NULL DEFAULT 0 CHECK (spent IN (0, 1)),
  -- Whether the rows that are written now belong to it.
  open INTEGER NOT NULL DEFAULT 1 CHECK (open IN (0, 1)),
  CHECK ((kind = 'do') = (undoes IS NULL))
) STRICT;
CREATE INDEX change_open ON change(open) WHERE open = 1;
-- The next to undo, and the next to redo, is the greatest id in these.
CREATE INDEX change_to_undo ON change(id) WHERE kind <> 'undo' AND spent = 0;
CREATE INDEX change_to_redo ON change(id) WHERE kind = 'undo' AND spent = 0;

-- A row as it was before: `existed` is 0 for one that was inserted, and then only its id matters. One table for both
-- kinds, because the order in which rows changed must be kept between them too. item_tag and item_to_index follow
-- from item by their own triggers, and need no journal.
CREATE TABLE journal(
  seq INTEGER PRIMARY KEY,
  change INTEGER NOT NULL REFERENCES change(id) ON DELETE CASCADE,
  kind TEXT NOT NULL CHECK (kind IN ('item', 'list')),
  id INTEGER NOT NULL,
  existed INTEGER NOT NULL,
  name TEXT,  -- of a list, as are position and extra
  uuid TEXT, list INTEGER, position INTEGER, title TEXT, notes TEXT, tags TEXT, done INTEGER, archived INTEGER,
  priority INTEGER, due TEXT, due_day TEXT, every TEXT, anchor TEXT, previous INTEGER, created TEXT, started TEXT,
  completed TEXT, extra TEXT
) STRICT;
CREATE INDEX journal_change ON journal(change);

-- Rows that are written outside a change (by another program, by hand) each make one of their own: they too can be
-- undone, and are never taken for a part of somebody else's change. Either way the last change is the one to record in.
CREATE TRIGGER item_journal_insert AFTER INSERT ON item BEGIN
  INSERT INTO change(label, open) SELECT 'a change by another program', 0
  WHERE NOT EXISTS (SELECT 1 FROM change WHERE open = 1);
  INSERT INTO journal(change, kind, id, existed) VALUES ((SELECT max(id) FROM change), 'item', new.id, 0);
END;

CREATE TRIGGER item_journal_update AFTER UPDATE ON item
WHEN (old.uuid, old.list, old.position, old.title, old.notes, old.tags, old.done, old.archived, old.priority, old.due,
    old.due_day, old.every, old.anchor, old.previous, old.created, old.started, old.completed, old.extra)
  IS NOT (new.uuid, new.list, new.position, new.title, new.notes, new.tags, new.done, new.archived, new.priority,
    new.due, new.due_day, new.every, new.anchor, new.previous, new.created, new.started, new.completed, new.extra)
BEGIN
  INSERT INTO change(label, open) SELECT 'a change by another program', 0
  WHERE NOT EXISTS (SELECT 1 FROM change WHERE open = 1);
  INSERT INTO journal(change, kind, id, existed, uuid, list, position, title, notes, tags, done, archived, priority,
    due, due_day, every, anchor, previous, created, started, completed, extra)
  VALUES ((SELECT max(id) FROM change), 'item', old.id, 1, old.uuid, old.list, old.position, old.title, old.notes,
    old.tags, old.done, old.archived, old.priority, old.due, old.due_day, old.every, old.anchor, old.previous,
    old.created, old.started, old.completed, old.extra);
END;

CREATE TRIGGER item_journal_delete AFTER DELETE ON item BEGIN
  INSERT INTO change(label, open) SELECT 'a change by another program', 0
  WHERE NOT EXISTS (SELECT 1 FROM change WHERE open = 1);
  INSERT INTO journal(change, kind, id, existed, uuid, list, position, title, notes, tags, done, archived, priority,
    due, due_day, every, anchor, previous, created, started, completed, extra)
  VALUES ((SELECT max(id) FROM change), 'item', old.id, 1, old.uuid, old.list, old.position, old.title, old.notes,
    old.tags, old.done, old.archived, old.priority, old.due, old.due_day, old.every, old.anchor, old.previous,
    old.created, old.started, old.completed, old.extra);
END;

CREATE TRIGGER list_journal_insert AFTER INSERT ON list BEGIN
  INSERT INTO change(label, open) SELECT 'a change by another program', 0
  WHERE NOT EXISTS (SELECT 1 FROM change WHERE open = 1);
  INSERT INTO journal(change, kind, id, existed) VALUES ((SELECT max(id) FROM change), 'list', new.id, 0);
END;

-- COLLATE BINARY: to rename "work" to "Work" is a change, although the column's own collation calls them equal.
CREATE TRIGGER list_journal_update AFTER UPDATE ON list
WHEN (old.name COLLATE BINARY, old.position, old.extra) IS NOT (new.name, new.position, new.extra)
BEGIN
  INSERT INTO change(label, open) SELECT 'a change by another program', 0
  WHERE NOT EXISTS (SELECT 1 FROM change WHERE open = 1);
  INSERT INTO journal(change, kind, id, existed, name, position, extra)
  VALUES ((SELECT max(id) FROM change), 'list', old.id, 1, old.name, old.position, old.extra);
END;

CREATE TRIGGER list_journal_delete AFTER DELETE ON list BEGIN
  INSERT INTO change(label, open) SELECT 'a change by another program', 0
  WHERE NOT EXISTS (SELECT 1 FROM change WHERE open = 1);
  INSERT INTO journal(change, kind, id, existed, name, position, extra)
  VALUES ((SELECT max(id) FROM change), 'list', old.id, 1, old.name, old.position, old.extra);
END;

-- The journal read backwards and put back: an insert into this view makes the row what it was. SQLite has no loops in
-- triggers, but INSERT … SELECT … ORDER BY into a view is one.
CREATE VIEW replay AS SELECT * FROM journal;

CREATE TRIGGER replay_item_gone INSTEAD OF INSERT ON replay WHEN new.kind = 'item' AND new.existed = 0 BEGIN
  DELETE FROM item WHERE id = new.id;
END;

CREATE TRIGGER replay_item INSTEAD OF INSERT ON replay WHEN new.kind = 'item' AND new.existed = 1 BEGIN
  INSERT INTO item(id, uuid, list, position, title, notes, tags, done, archived, priority, due, due_day, every, anchor,
    previous, created, started, completed, extra)
  VALUES (new.id, new.uuid, new.list, new.position, new.title, new.notes, new.tags, new.done, new.archived,
    new.priority, new.due, new.due_day, new.every, new.anchor, new.previous, new.created, new.started, new.completed,
    new.extra)
  ON CONFLICT (id) DO UPDATE SET uuid = excluded.uuid, list = excluded.list, position = excluded.position,
    title = excluded.title, notes = excluded.notes, tags = excluded.tags, done = excluded.done,
    archived = excluded.archived, priority = excluded.priority, due = excluded.due, due_day = excluded.due_day,
    every = excluded.every, anchor = excluded.anchor, previous = excluded.previous, created = excluded.created,
    started = excluded.started, completed = excluded.completed, extra = excluded.extra;
END;

CREATE TRIGGER replay_list_gone INSTEAD OF INSERT ON replay WHEN new.kind = 'list' AND new.existed = 0 BEGIN
  DELETE FROM list WHERE id = new.id;
END;

CREATE TRIGGER replay_list INSTEAD OF INSERT ON replay WHEN new.kind = 'list' AND new.existed = 1 BEGIN
  INSERT INTO list(id, name, position, extra) VALUES (new.id, new.name, new.position, new.extra)
  ON CONFLICT (id) DO UPDATE SET name = excluded.name, position = excluded.position, extra = excluded.extra;
END;

-- One change at a time: what a writer forgot to close ends where the next begins.
CREATE TRIGGER change_before_insert BEFORE INSERT ON change BEGIN
  UPDATE change SET open = 0 WHERE open = 1;
END;

-- Once something new is done, what was undone can't be redone.
CREATE TRIGGER change_do AFTER INSERT ON change WHEN new.undoes IS NULL BEGIN
  UPDATE change SET spent = 1 WHERE kind = 'undo' AND spent = 0;
END;

-- Undo and redo, whole: the replay is recorded under the new change, which is then closed.
CREATE TRIGGER change_undo AFTER INSERT ON change WHEN new.undoes IS NOT NULL BEGIN
  UPDATE change SET spent = 1 WHERE id = new.undoes;
  INSERT INTO replay SELECT * FROM journal WHERE change = new.undoes ORDER BY seq DESC;
  UPDATE change SET open = 0 WHERE id = new.id;
END;
