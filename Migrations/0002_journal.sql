-- What was changed, and how it is taken back: undo, redo, the log and the revision, for every process alike.
--
-- A writer begins its transaction with
--   INSERT INTO change(label) VALUES ('add "Milk"');
-- makes its changes, and ends it with
--   UPDATE change SET open = 0 WHERE open = 1;
-- or rolls back when nothing was recorded. Triggers write down each row as it was. To take a change back is two steps, in
-- one transaction:
--   INSERT INTO change(kind, undoes, label) VALUES ('undo', :id, :label);
--   INSERT INTO taking_back(id, undoes) VALUES (last_insert_rowid(), :id);
-- The rows of the journal are put back in reverse, which is itself recorded, so redo is to undo the undo. All changes are
-- recorded, whoever makes them, and they are undone last one first; so what an undo finds is exactly what its change left
-- behind. (Two steps, because SQLite compiles a statement with all triggers that it could fire, and theirs: the writes of
-- others insert changes too, and would be compiled with all of undo.)
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
-- kinds, because the order in which rows changed must be kept between them too. What follows from item by triggers, such
-- as item_tag, needs no journal.
CREATE TABLE journal(
  seq INTEGER PRIMARY KEY,
  -- NULL for a row that the INSERT or UPDATE that is running may remove by REPLACE: see below.
  change INTEGER,
  kind TEXT NOT NULL CHECK (kind IN ('item', 'list')),
  id INTEGER NOT NULL,
  existed INTEGER NOT NULL,
  name TEXT,  -- of a list, as are position and extra
  uuid TEXT, list INTEGER, position INTEGER, title TEXT, notes TEXT, tags TEXT, done INTEGER, archived INTEGER,
  priority INTEGER, due TEXT, due_day TEXT, every TEXT, anchor TEXT, zone TEXT, previous INTEGER, created TEXT,
  started TEXT, completed TEXT, extra TEXT
) STRICT;
CREATE INDEX journal_change ON journal(change);

-- One change at a time: what a writer forgot to close ends where the next begins.
CREATE TRIGGER change_before_insert BEFORE INSERT ON change BEGIN
  UPDATE change SET open = 0 WHERE open = 1;
END;

CREATE TRIGGER change_pruned AFTER DELETE ON change BEGIN
  DELETE FROM journal WHERE change = old.id;
END;

-- Once something new is done, what was undone can't be redone.
CREATE TRIGGER change_do AFTER INSERT ON change WHEN new.undoes IS NULL BEGIN
  UPDATE change SET spent = 1 WHERE kind = 'undo' AND spent = 0;
END;

-- Rows that are written outside a change (by another program, by hand) each make one of their own: they too can be
-- undone, and are never taken for a part of somebody else's change. Either way the last change is the one to record in.
--
-- REPLACE removes rows without firing their DELETE triggers (unless recursive triggers are on), and whether a statement is
-- one, and what it removes, is known only afterwards. So the rows that it could remove are copied into the journal before,
-- with NULL in `change`; those that are gone then become a part of the change. Others stay until the next such statement:
-- INSERT OR IGNORE and an upsert are no change of rows that they leave alone. A copy is out of date once its row changes,
-- but as only a row that is gone is looked at, it is enough to remove the copy when its row is deleted.

-- To insert the number of an item here copies it.
CREATE VIEW item_to_replace AS SELECT id FROM item;
CREATE TRIGGER item_to_replace_journal INSTEAD OF INSERT ON item_to_replace BEGIN
  INSERT INTO journal(change, kind, id, existed, uuid, list, position, title, notes, tags, done, archived, priority,
    due, due_day, every, anchor, zone, previous, created, started, completed, extra)
  SELECT NULL, 'item', id, 1, uuid, list, position, title, notes, tags, done, archived, priority, due, due_day, every,
    anchor, zone, previous, created, started, completed, extra
  FROM item WHERE id = new.id;
END;

CREATE TRIGGER item_replaced_by_insert BEFORE INSERT ON item
WHEN EXISTS (SELECT 1 FROM item WHERE id = new.id) OR EXISTS (SELECT 1 FROM item WHERE uuid = new.uuid)
  OR EXISTS (SELECT 1 FROM item WHERE previous = new.previous)
BEGIN
  DELETE FROM journal WHERE change IS NULL;
  INSERT INTO item_to_replace(id)
  SELECT id FROM item WHERE id = new.id OR uuid = new.uuid OR (previous IS NOT NULL AND previous = new.previous);
END;
CREATE TRIGGER item_replaced_by_update BEFORE UPDATE OF uuid, previous ON item
WHEN EXISTS (SELECT 1 FROM item WHERE uuid = new.uuid AND id <> old.id)
  OR EXISTS (SELECT 1 FROM item WHERE previous = new.previous AND id <> old.id)
BEGIN
  DELETE FROM journal WHERE change IS NULL;
  INSERT INTO item_to_replace(id)
  SELECT id FROM item
  WHERE (uuid = new.uuid OR (previous IS NOT NULL AND previous = new.previous)) AND id <> old.id;
END;

CREATE TRIGGER item_journal_insert AFTER INSERT ON item BEGIN
  INSERT INTO change(label, open) SELECT 'a change by another program', 0
  WHERE NOT EXISTS (SELECT 1 FROM change WHERE open = 1);
  UPDATE journal SET change = (SELECT max(id) FROM change)
  WHERE change IS NULL AND kind = 'item' AND (id = new.id OR id NOT IN (SELECT id FROM item));
  INSERT INTO journal(change, kind, id, existed) VALUES ((SELECT max(id) FROM change), 'item', new.id, 0);
END;
-- Only an update of these two columns can remove rows. It has a trigger of its own, as SQLite compiles a statement with
-- all triggers that it could fire.
CREATE TRIGGER item_journal_update AFTER UPDATE OF list, position, title, notes, tags, done, archived, priority, due,
  due_day, every, anchor, zone, created, started, completed, extra ON item
WHEN (old.list, old.position, old.title, old.notes, old.tags, old.done, old.archived, old.priority, old.due,
    old.due_day, old.every, old.anchor, old.zone, old.created, old.started, old.completed, old.extra)
  IS NOT (new.list, new.position, new.title, new.notes, new.tags, new.done, new.archived, new.priority, new.due,
    new.due_day, new.every, new.anchor, new.zone, new.created, new.started, new.completed, new.extra)
BEGIN
  INSERT INTO change(label, open) SELECT 'a change by another program', 0
  WHERE NOT EXISTS (SELECT 1 FROM change WHERE open = 1);
  INSERT INTO journal(change, kind, id, existed, uuid, list, position, title, notes, tags, done, archived, priority,
    due, due_day, every, anchor, zone, previous, created, started, completed, extra)
  VALUES ((SELECT max(id) FROM change), 'item', old.id, 1, old.uuid, old.list, old.position, old.title, old.notes,
    old.tags, old.done, old.archived, old.priority, old.due, old.due_day, old.every, old.anchor, old.zone, old.previous,
    old.created, old.started, old.completed, old.extra);
END;
CREATE TRIGGER item_journal_keys AFTER UPDATE OF uuid, previous ON item
WHEN (old.uuid, old.previous) IS NOT (new.uuid, new.previous) BEGIN
  INSERT INTO change(label, open) SELECT 'a change by another program', 0
  WHERE NOT EXISTS (SELECT 1 FROM change WHERE open = 1);
  UPDATE journal SET change = (SELECT max(id) FROM change)
  WHERE change IS NULL AND kind = 'item' AND id NOT IN (SELECT id FROM item);
  INSERT INTO journal(change, kind, id, existed, uuid, list, position, title, notes, tags, done, archived, priority,
    due, due_day, every, anchor, zone, previous, created, started, completed, extra)
  VALUES ((SELECT max(id) FROM change), 'item', old.id, 1, old.uuid, old.list, old.position, old.title, old.notes,
    old.tags, old.done, old.archived, old.priority, old.due, old.due_day, old.every, old.anchor, old.zone, old.previous,
    old.created, old.started, old.completed, old.extra);
END;
CREATE TRIGGER item_journal_delete AFTER DELETE ON item BEGIN
  INSERT INTO change(label, open) SELECT 'a change by another program', 0
  WHERE NOT EXISTS (SELECT 1 FROM change WHERE open = 1);
  DELETE FROM journal WHERE change IS NULL AND kind = 'item' AND id = old.id;
  INSERT INTO journal(change, kind, id, existed, uuid, list, position, title, notes, tags, done, archived, priority,
    due, due_day, every, anchor, zone, previous, created, started, completed, extra)
  VALUES ((SELECT max(id) FROM change), 'item', old.id, 1, old.uuid, old.list, old.position, old.title, old.notes,
    old.tags, old.done, old.archived, old.priority, old.due, old.due_day, old.every, old.anchor, old.zone, old.previous,
    old.created, old.started, old.completed, old.extra);
END;

-- The same for lists. One with items is not replaced, not even by one with its number: an undo could not remove that.
CREATE TRIGGER list_replaced_by_insert BEFORE INSERT ON list
WHEN EXISTS (SELECT 1 FROM list WHERE id = new.id OR name = new.name OR position = new.position) BEGIN
  DELETE FROM journal WHERE change IS NULL;
  INSERT INTO journal(change, kind, id, existed, name, position, extra)
  SELECT NULL, 'list', id, 1, name, position, extra FROM list
  WHERE id = new.id OR name = new.name OR position = new.position;
END;
CREATE TRIGGER list_replaced_by_update BEFORE UPDATE OF name, position ON list
WHEN EXISTS (SELECT 1 FROM list WHERE (name = new.name OR position = new.position) AND id <> old.id) BEGIN
  DELETE FROM journal WHERE change IS NULL;
  INSERT INTO journal(change, kind, id, existed, name, position, extra)
  SELECT NULL, 'list', id, 1, name, position, extra FROM list
  WHERE (name = new.name OR position = new.position) AND id <> old.id;
END;

CREATE TRIGGER list_journal_insert AFTER INSERT ON list BEGIN
  SELECT RAISE(ABORT, 'a list with items can not be replaced; move or delete its items first')
  FROM journal AS gone WHERE change IS NULL AND kind = 'list' AND (id = new.id OR id NOT IN (SELECT id FROM list))
    AND EXISTS (SELECT 1 FROM item WHERE list = gone.id);
  INSERT INTO change(label, open) SELECT 'a change by another program', 0
  WHERE NOT EXISTS (SELECT 1 FROM change WHERE open = 1);
  UPDATE journal SET change = (SELECT max(id) FROM change)
  WHERE change IS NULL AND kind = 'list' AND (id = new.id OR id NOT IN (SELECT id FROM list));
  INSERT INTO journal(change, kind, id, existed) VALUES ((SELECT max(id) FROM change), 'list', new.id, 0);
END;
-- COLLATE BINARY: to rename "work" to "Work" is a change, although the column's own collation calls them equal.
CREATE TRIGGER list_journal_update AFTER UPDATE ON list
WHEN (old.name COLLATE BINARY, old.position, old.extra) IS NOT (new.name, new.position, new.extra)
BEGIN
  SELECT RAISE(ABORT, 'a list with items can not be replaced; move or delete its items first')
  FROM journal AS gone WHERE change IS NULL AND kind = 'list' AND id NOT IN (SELECT id FROM list)
    AND EXISTS (SELECT 1 FROM item WHERE list = gone.id);
  INSERT INTO change(label, open) SELECT 'a change by another program', 0
  WHERE NOT EXISTS (SELECT 1 FROM change WHERE open = 1);
  UPDATE journal SET change = (SELECT max(id) FROM change)
  WHERE change IS NULL AND kind = 'list' AND id NOT IN (SELECT id FROM list);
  INSERT INTO journal(change, kind, id, existed, name, position, extra)
  VALUES ((SELECT max(id) FROM change), 'list', old.id, 1, old.name, old.position, old.extra);
END;
CREATE TRIGGER list_journal_delete AFTER DELETE ON list BEGIN
  INSERT INTO change(label, open) SELECT 'a change by another program', 0
  WHERE NOT EXISTS (SELECT 1 FROM change WHERE open = 1);
  DELETE FROM journal WHERE change IS NULL AND kind = 'list' AND id = old.id;
  INSERT INTO journal(change, kind, id, existed, name, position, extra)
  VALUES ((SELECT max(id) FROM change), 'list', old.id, 1, old.name, old.position, old.extra);
END;

-- The journal read backwards and put back: an insert into this view makes the row what it was. SQLite has no loops in
-- triggers, but INSERT … SELECT … ORDER BY into a view is one. A row is put back without an upsert, which would be taken
-- for a statement that could remove it.
CREATE VIEW replay AS SELECT * FROM journal;

CREATE TRIGGER replay_item_gone INSTEAD OF INSERT ON replay WHEN new.kind = 'item' AND new.existed = 0 BEGIN
  DELETE FROM item WHERE id = new.id;
END;
CREATE TRIGGER replay_item INSTEAD OF INSERT ON replay WHEN new.kind = 'item' AND new.existed = 1 BEGIN
  UPDATE item SET uuid = new.uuid, list = new.list, position = new.position, title = new.title, notes = new.notes,
    tags = new.tags, done = new.done, archived = new.archived, priority = new.priority, due = new.due,
    due_day = new.due_day, every = new.every, anchor = new.anchor, zone = new.zone, previous = new.previous,
    created = new.created, started = new.started, completed = new.completed, extra = new.extra
  WHERE id = new.id;
  INSERT INTO item(id, uuid, list, position, title, notes, tags, done, archived, priority, due, due_day, every, anchor,
    zone, previous, created, started, completed, extra)
  SELECT new.id, new.uuid, new.list, new.position, new.title, new.notes, new.tags, new.done, new.archived, new.priority,
    new.due, new.due_day, new.every, new.anchor, new.zone, new.previous, new.created, new.started, new.completed,
    new.extra
  WHERE NOT EXISTS (SELECT 1 FROM item WHERE id = new.id);
END;
CREATE TRIGGER replay_list_gone INSTEAD OF INSERT ON replay WHEN new.kind = 'list' AND new.existed = 0 BEGIN
  DELETE FROM list WHERE id = new.id;
END;
CREATE TRIGGER replay_list INSTEAD OF INSERT ON replay WHEN new.kind = 'list' AND new.existed = 1 BEGIN
  UPDATE list SET name = new.name, position = new.position, extra = new.extra WHERE id = new.id;
  INSERT INTO list(id, name, position, extra) SELECT new.id, new.name, new.position, new.extra
  WHERE NOT EXISTS (SELECT 1 FROM list WHERE id = new.id);
END;

CREATE VIEW taking_back AS SELECT id, undoes FROM change WHERE undoes IS NOT NULL;
CREATE TRIGGER take_back INSTEAD OF INSERT ON taking_back BEGIN
  UPDATE change SET spent = 1 WHERE id = new.undoes;
  INSERT INTO replay SELECT * FROM journal WHERE change = new.undoes ORDER BY seq DESC;
  UPDATE change SET open = 0 WHERE id = new.id;
END;
