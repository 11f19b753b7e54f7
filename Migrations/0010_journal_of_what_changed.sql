-- The journal holds only what changed, and a statement is compiled with fewer triggers.
--
-- A row that a REPLACE could remove was written into the journal before the statement decided. INSERT OR IGNORE, which then
-- changed nothing, was a change of its own, and nothing could be redone after it. Now such a row is copied beside the journal, and
-- written into it once it is gone.
--
-- SQLite compiles a statement with all triggers that it could fire, and theirs: that took longer than the rest of adding an item. So
-- an update of `previous`, which follows from other statements, is journaled by a short trigger of its own, and only an update of the
-- columns by which a row can be removed is compiled with what follows from that. What two triggers share is an INSERT into a view, as
-- a trigger is compiled once for each statement.

DROP TRIGGER item_evicted_by_insert;
DROP TRIGGER item_evicted_by_update;
DROP TRIGGER list_evicted_by_insert;
DROP TRIGGER list_evicted_by_update;
DROP TRIGGER list_evicted_after_update;
DROP TRIGGER list_evicting_after_delete;
DROP TRIGGER item_journal_insert;
DROP TRIGGER item_journal_update;
DROP TRIGGER item_journal_delete;
DROP TRIGGER list_journal_insert;
DROP TRIGGER list_journal_update;
DROP TABLE evicting;

-- The rows that the statement that is running could remove by REPLACE, as they are before it, and the items that follow them. A
-- statement that removes none of them leaves them here until the next such statement.
CREATE TABLE evicting(
  seq INTEGER PRIMARY KEY,
  kind TEXT NOT NULL CHECK (kind IN ('item', 'list')),
  -- The row that could be removed: this one, or the one that this one follows.
  evicted INTEGER NOT NULL,
  -- Whether it is in the journal already.
  noted INTEGER NOT NULL DEFAULT 0,
  id INTEGER NOT NULL,
  name TEXT,
  uuid TEXT, list INTEGER, position INTEGER, title TEXT, notes TEXT, tags TEXT, done INTEGER, archived INTEGER,
  priority INTEGER, due TEXT, due_day TEXT, every TEXT, anchor TEXT, previous INTEGER, created TEXT, started TEXT,
  completed TEXT, extra TEXT, zone TEXT
) STRICT;

-- The items in `evicting` that are gone.
CREATE VIEW evicted_item AS
  SELECT id FROM evicting WHERE kind = 'item' AND id = evicted AND id NOT IN (SELECT id FROM item);

-- To insert the number of an item here copies it, before it may be removed.
CREATE VIEW item_to_evict AS SELECT id FROM evicting;
CREATE TRIGGER item_to_evict_insert INSTEAD OF INSERT ON item_to_evict BEGIN
  -- The row itself is the last, and the first that an undo puts back: those that follow it can then refer to it.
  INSERT INTO evicting(kind, evicted, id, uuid, list, position, title, notes, tags, done, archived, priority, due, due_day,
    every, anchor, previous, created, started, completed, extra, zone)
  SELECT 'item', new.id, id, uuid, list, position, title, notes, tags, done, archived, priority, due, due_day,
    every, anchor, previous, created, started, completed, extra, zone
  FROM item WHERE id = new.id OR previous = new.id ORDER BY id = new.id;
  -- The search index has to be given the very text that it holds, which is known only now.
  INSERT INTO item_to_index(item, indexed, title, notes)
  SELECT id, EXISTS (SELECT 1 FROM item_search_docsize WHERE id = new.id), title,
    (SELECT group_concat(value, char(10)) FROM json_each(item.notes))
  FROM item WHERE id = new.id AND NOT EXISTS (SELECT 1 FROM item_to_index WHERE item = new.id);
END;

-- To insert the number of an item here writes its copy into the journal, once it is gone or replaced.
CREATE VIEW item_to_journal AS SELECT id FROM evicting;
CREATE TRIGGER item_to_journal_insert INSTEAD OF INSERT ON item_to_journal BEGIN
  INSERT INTO change(label, open) SELECT 'a change by another program', 0
  WHERE NOT EXISTS (SELECT 1 FROM change WHERE open = 1);
  INSERT INTO journal(change, kind, id, existed, uuid, list, position, title, notes, tags, done, archived, priority,
    due, due_day, every, anchor, previous, created, started, completed, extra, zone)
  SELECT (SELECT max(id) FROM change), 'item', id, 1, uuid, list, position, title, notes, tags, done, archived, priority,
    due, due_day, every, anchor, previous, created, started, completed, extra, zone
  FROM evicting WHERE kind = 'item' AND evicted = new.id ORDER BY seq;
  UPDATE evicting SET noted = 1 WHERE kind = 'item' AND evicted = new.id;
END;

CREATE TRIGGER item_evicted_by_insert BEFORE INSERT ON item
WHEN EXISTS (SELECT 1 FROM item WHERE id = new.id)
  OR EXISTS (SELECT 1 FROM item WHERE uuid = new.uuid)
  OR (new.previous IS NOT NULL AND EXISTS (SELECT 1 FROM item WHERE previous = new.previous))
BEGIN
  DELETE FROM evicting;
  -- The row with the same number is the last, and the first that an undo puts back: what the others need is then free again.
  INSERT INTO item_to_evict(id)
  SELECT id FROM item WHERE id = new.id OR uuid = new.uuid OR (previous IS NOT NULL AND previous = new.previous)
  ORDER BY id = new.id;
END;
CREATE TRIGGER item_evicted_by_update BEFORE UPDATE OF uuid, previous ON item
WHEN EXISTS (SELECT 1 FROM item WHERE uuid = new.uuid AND id <> old.id)
  OR (new.previous IS NOT NULL AND EXISTS (SELECT 1 FROM item WHERE previous = new.previous AND id <> old.id))
BEGIN
  DELETE FROM evicting;
  INSERT INTO item_to_evict(id)
  SELECT id FROM item WHERE (uuid = new.uuid OR (previous IS NOT NULL AND previous = new.previous)) AND id <> old.id;
END;

-- In each of these the journal gets what is gone, then the row itself, and then what follows from the rows that are gone: an undo
-- goes back in reverse, and no two rows may have the same UUID meanwhile.
--
-- A row that took the place of one with the same number was there before: it is not noted as a new one, and an undo puts the old
-- one back without removing it.
CREATE TRIGGER item_journal_insert AFTER INSERT ON item BEGIN
  INSERT INTO item_to_journal(id)
  SELECT id FROM evicting
  WHERE kind = 'item' AND id = evicted AND noted = 0 AND (id = new.id OR id NOT IN (SELECT id FROM item)) ORDER BY seq;
  INSERT INTO change(label, open) SELECT 'a change by another program', 0
  WHERE NOT EXISTS (SELECT 1 FROM change WHERE open = 1)
    AND NOT EXISTS (SELECT 1 FROM evicting WHERE kind = 'item' AND noted = 1);
  INSERT INTO journal(change, kind, id, existed) SELECT (SELECT max(id) FROM change), 'item', new.id, 0
  WHERE NOT EXISTS (SELECT 1 FROM evicting WHERE kind = 'item' AND id = new.id AND evicted = new.id);
  DELETE FROM item_tag WHERE item IN (SELECT id FROM evicted_item);
  UPDATE item SET previous = NULL WHERE previous IN (SELECT id FROM evicted_item);
  DELETE FROM evicting;
END;

-- All columns but those of the next two.
CREATE TRIGGER item_journal_update AFTER UPDATE OF list, position, title, notes, tags, done, archived, priority, due, due_day,
  every, anchor, created, started, completed, extra, zone ON item
WHEN (old.list, old.position, old.title, old.notes, old.tags, old.done, old.archived, old.priority, old.due,
    old.due_day, old.every, old.anchor, old.created, old.started, old.completed, old.extra, old.zone)
  IS NOT (new.list, new.position, new.title, new.notes, new.tags, new.done, new.archived, new.priority,
    new.due, new.due_day, new.every, new.anchor, new.created, new.started, new.completed, new.extra, new.zone)
BEGIN
  INSERT INTO change(label, open) SELECT 'a change by another program', 0
  WHERE NOT EXISTS (SELECT 1 FROM change WHERE open = 1);
  INSERT INTO journal(change, kind, id, existed, uuid, list, position, title, notes, tags, done, archived, priority,
    due, due_day, every, anchor, previous, created, started, completed, extra, zone)
  VALUES ((SELECT max(id) FROM change), 'item', old.id, 1, old.uuid, old.list, old.position, old.title, old.notes,
    old.tags, old.done, old.archived, old.priority, old.due, old.due_day, old.every, old.anchor, old.previous,
    old.created, old.started, old.completed, old.extra, old.zone);
END;

-- Of these two `existed` is 2, and the journal holds this column only: NULL in `uuid` says that it is the other one.
CREATE TRIGGER item_journal_uuid AFTER UPDATE OF uuid ON item WHEN old.uuid <> new.uuid BEGIN
  INSERT INTO item_to_journal(id) SELECT id FROM evicted_item WHERE id IN (SELECT id FROM evicting WHERE noted = 0);
  INSERT INTO change(label, open) SELECT 'a change by another program', 0
  WHERE NOT EXISTS (SELECT 1 FROM change WHERE open = 1)
    AND NOT EXISTS (SELECT 1 FROM evicting WHERE kind = 'item' AND noted = 1);
  INSERT INTO journal(change, kind, id, existed, uuid)
  VALUES ((SELECT max(id) FROM change), 'item', old.id, 2, old.uuid);
  DELETE FROM item_tag WHERE item IN (SELECT id FROM evicted_item);
  UPDATE item SET previous = NULL WHERE previous IN (SELECT id FROM evicted_item);
  DELETE FROM evicting WHERE kind = 'item' AND noted = 1;
END;
CREATE TRIGGER item_journal_previous AFTER UPDATE OF previous ON item WHEN old.previous IS NOT new.previous BEGIN
  INSERT INTO item_to_journal(id) SELECT id FROM evicted_item WHERE id IN (SELECT id FROM evicting WHERE noted = 0);
  INSERT INTO change(label, open) SELECT 'a change by another program', 0
  WHERE NOT EXISTS (SELECT 1 FROM change WHERE open = 1)
    AND NOT EXISTS (SELECT 1 FROM evicting WHERE kind = 'item' AND noted = 1);
  INSERT INTO journal(change, kind, id, existed, previous)
  VALUES ((SELECT max(id) FROM change), 'item', old.id, 2, old.previous);
  DELETE FROM item_tag WHERE item IN (SELECT id FROM evicted_item);
  UPDATE item SET previous = NULL WHERE previous IN (SELECT id FROM evicted_item);
  DELETE FROM evicting WHERE kind = 'item' AND noted = 1;
END;

-- item_tag.item REFERENCES item(id) ON DELETE CASCADE, item.previous REFERENCES item(id) ON DELETE SET NULL
--
-- The items that follow one that is removed are written down before it, so that an undo puts it back first.
CREATE TRIGGER item_journal_delete AFTER DELETE ON item BEGIN
  DELETE FROM item_tag WHERE item = old.id;
  DELETE FROM evicting WHERE kind = 'item' AND evicted = old.id;
  UPDATE item SET previous = NULL WHERE previous = old.id;
  INSERT INTO change(label, open) SELECT 'a change by another program', 0
  WHERE NOT EXISTS (SELECT 1 FROM change WHERE open = 1);
  INSERT INTO journal(change, kind, id, existed, uuid, list, position, title, notes, tags, done, archived, priority,
    due, due_day, every, anchor, previous, created, started, completed, extra, zone)
  VALUES ((SELECT max(id) FROM change), 'item', old.id, 1, old.uuid, old.list, old.position, old.title, old.notes,
    old.tags, old.done, old.archived, old.priority, old.due, old.due_day, old.every, old.anchor, old.previous,
    old.created, old.started, old.completed, old.extra, old.zone);
END;

CREATE TRIGGER replay_item_column INSTEAD OF INSERT ON replay WHEN new.kind = 'item' AND new.existed = 2 BEGIN
  UPDATE item SET uuid = new.uuid WHERE id = new.id AND new.uuid IS NOT NULL;
  UPDATE item SET previous = new.previous WHERE id = new.id AND new.uuid IS NULL;
END;

-- The same for lists.
CREATE TRIGGER list_evicted_by_insert BEFORE INSERT ON list
WHEN EXISTS (SELECT 1 FROM list WHERE id = new.id OR name = new.name OR position = new.position) BEGIN
  DELETE FROM evicting;
  INSERT INTO evicting(kind, evicted, id, name, position, extra)
  SELECT 'list', id, id, name, position, extra FROM list
  WHERE id = new.id OR name = new.name OR position = new.position ORDER BY id = new.id;
END;
CREATE TRIGGER list_evicted_by_update BEFORE UPDATE OF name, position ON list
WHEN EXISTS (SELECT 1 FROM list WHERE (name = new.name OR position = new.position) AND id <> old.id) BEGIN
  DELETE FROM evicting;
  INSERT INTO evicting(kind, evicted, id, name, position, extra)
  SELECT 'list', id, id, name, position, extra FROM list
  WHERE (name = new.name OR position = new.position) AND id <> old.id;
END;
CREATE TRIGGER list_journal_insert AFTER INSERT ON list BEGIN
  SELECT RAISE(ABORT, 'a list with items can not be replaced; move or delete its items first')
  FROM evicting AS gone WHERE kind = 'list' AND id NOT IN (SELECT id FROM list)
    AND EXISTS (SELECT 1 FROM item WHERE list = gone.id);
  INSERT INTO change(label, open) SELECT 'a change by another program', 0
  WHERE NOT EXISTS (SELECT 1 FROM change WHERE open = 1);
  INSERT INTO journal(change, kind, id, existed, name, position, extra)
  SELECT (SELECT max(id) FROM change), 'list', id, 1, name, position, extra FROM evicting
  WHERE kind = 'list' AND (id = new.id OR id NOT IN (SELECT id FROM list)) ORDER BY seq;
  INSERT INTO journal(change, kind, id, existed) SELECT (SELECT max(id) FROM change), 'list', new.id, 0
  WHERE NOT EXISTS (SELECT 1 FROM evicting WHERE kind = 'list' AND id = new.id);
  DELETE FROM evicting;
END;
-- COLLATE BINARY: to rename "work" to "Work" is a change, although the column's own collation calls them equal.
CREATE TRIGGER list_journal_update AFTER UPDATE ON list
WHEN (old.name COLLATE BINARY, old.position, old.extra) IS NOT (new.name, new.position, new.extra)
BEGIN
  SELECT RAISE(ABORT, 'a list with items can not be replaced; move or delete its items first')
  FROM evicting AS gone WHERE kind = 'list' AND id NOT IN (SELECT id FROM list)
    AND EXISTS (SELECT 1 FROM item WHERE list = gone.id);
  INSERT INTO change(label, open) SELECT 'a change by another program', 0
  WHERE NOT EXISTS (SELECT 1 FROM change WHERE open = 1);
  INSERT INTO journal(change, kind, id, existed, name, position, extra)
  SELECT (SELECT max(id) FROM change), 'list', id, 1, name, position, extra FROM evicting
  WHERE kind = 'list' AND id NOT IN (SELECT id FROM list) ORDER BY seq;
  INSERT INTO journal(change, kind, id, existed, name, position, extra)
  VALUES ((SELECT max(id) FROM change), 'list', old.id, 1, old.name, old.position, old.extra);
  DELETE FROM evicting;
END;
CREATE TRIGGER list_evicting_after_delete AFTER DELETE ON list BEGIN
  DELETE FROM evicting WHERE kind = 'list' AND id = old.id;
END;

-- A trigger of somebody else that changes or deletes an item as it is added may run before the item waits for the search index. What
-- the index does not hold must not be removed from it, which would damage it.
DROP TRIGGER item_to_index_after_update;
CREATE TRIGGER item_to_index_after_update AFTER UPDATE OF title, notes ON item
WHEN new.title <> old.title OR new.notes <> old.notes BEGIN
  INSERT INTO item_to_index(item, indexed, title, notes)
  SELECT old.id, EXISTS (SELECT 1 FROM item_search_docsize WHERE id = old.id), old.title,
    (SELECT group_concat(value, char(10)) FROM json_each(old.notes))
  WHERE NOT EXISTS (SELECT 1 FROM item_to_index WHERE item = old.id);
END;
DROP TRIGGER item_to_index_after_delete;
CREATE TRIGGER item_to_index_after_delete AFTER DELETE ON item BEGIN
  INSERT INTO item_to_index(item, indexed, title, notes)
  SELECT old.id, EXISTS (SELECT 1 FROM item_search_docsize WHERE id = old.id), old.title,
    (SELECT group_concat(value, char(10)) FROM json_each(old.notes))
  WHERE NOT EXISTS (SELECT 1 FROM item_to_index WHERE item = old.id);
END;
