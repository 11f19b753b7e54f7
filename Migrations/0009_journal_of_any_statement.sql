-- The journal holds what any SQL statement did, also one that is typed into sqlite3, where foreign keys and recursive
-- triggers are off by default.
--
-- With foreign keys off nothing cascades and nothing is restricted, so triggers do here what the foreign keys say. With
-- recursive triggers off, REPLACE removes rows without firing their DELETE triggers, so the rows that a REPLACE could
-- remove are noted before it does. All of it is harmless where both are on.

-- What an earlier version left behind when an item was deleted with foreign keys off: it made each later undo fail.
DELETE FROM item_tag WHERE item NOT IN (SELECT id FROM item);
UPDATE item SET previous = NULL WHERE previous IS NOT NULL AND previous NOT IN (SELECT id FROM item);

-- The zone of a recurring item's `anchor`: "Europe/Berlin", or "+01:00" where the zone has no name. Instances are counted by the
-- clocks of that zone, wherever one is done. NULL where the anchor is a day, which is the same day everywhere, and for what an
-- earlier version wrote.
ALTER TABLE item ADD COLUMN zone TEXT CHECK (zone <> '');
ALTER TABLE journal ADD COLUMN zone TEXT;

-- `UPDATE item SET rowid = …` does not count as an update of the column id, so the trigger is not for one column.
DROP TRIGGER item_keeps_its_number;
CREATE TRIGGER item_keeps_its_number BEFORE UPDATE ON item WHEN new.id <> old.id BEGIN
  SELECT RAISE(ABORT, 'an item keeps its number');
END;
CREATE TRIGGER list_keeps_its_number BEFORE UPDATE ON list WHEN new.id <> old.id BEGIN
  SELECT RAISE(ABORT, 'a list keeps its number');
END;

-- item.list REFERENCES list(id) ON DELETE RESTRICT
CREATE TRIGGER list_with_items_stays BEFORE DELETE ON list
WHEN EXISTS (SELECT 1 FROM item WHERE list = old.id) BEGIN
  SELECT RAISE(ABORT, 'a list with items can not be deleted; move or delete its items first');
END;
CREATE TRIGGER item_has_a_list_insert BEFORE INSERT ON item
WHEN NOT EXISTS (SELECT 1 FROM list WHERE id = new.list) BEGIN
  SELECT RAISE(ABORT, 'the list of the item does not exist');
END;
CREATE TRIGGER item_has_a_list_update BEFORE UPDATE OF list ON item
WHEN NOT EXISTS (SELECT 1 FROM list WHERE id = new.list) BEGIN
  SELECT RAISE(ABORT, 'the list of the item does not exist');
END;

-- The rows of item_tag follow from the item whatever was there before, and however the JSON of no tags is written.
DROP TRIGGER item_tag_after_insert;
CREATE TRIGGER item_tag_after_insert AFTER INSERT ON item BEGIN
  DELETE FROM item_tag WHERE item = new.id;
  INSERT INTO item_tag(item, tag) SELECT DISTINCT new.id, value FROM json_each(new.tags) WHERE value <> '';
  INSERT INTO item_tag(id, item) SELECT -new.id, new.id
  WHERE NOT EXISTS (SELECT 1 FROM item_tag WHERE item = new.id);
END;
DROP TRIGGER item_tag_after_update;
CREATE TRIGGER item_tag_after_update AFTER UPDATE OF tags ON item WHEN new.tags <> old.tags BEGIN
  DELETE FROM item_tag
  WHERE item = new.id AND (tag IS NULL OR tag NOT IN (
    SELECT value FROM json_each(new.tags) WHERE value IS NOT NULL));
  INSERT INTO item_tag(item, tag)
  SELECT DISTINCT new.id, value FROM json_each(new.tags)
  WHERE value <> '' AND NOT EXISTS (SELECT 1 FROM item_tag WHERE item = new.id AND tag = value);
  INSERT INTO item_tag(id, item) SELECT -new.id, new.id
  WHERE NOT EXISTS (SELECT 1 FROM item_tag WHERE item = new.id);
END;

-- The rows that the statement which is running could remove by REPLACE.
CREATE TABLE evicting(
  kind TEXT NOT NULL CHECK (kind IN ('item', 'list')),
  id INTEGER NOT NULL,
  PRIMARY KEY (kind, id)
) STRICT, WITHOUT ROWID;

-- The row with the same number is the last, and the first that an undo puts back: what the others need is then free again.
-- A row that stays (INSERT OR IGNORE, ON CONFLICT DO NOTHING) is written down as it is, which changes nothing when it is
-- put back.
CREATE TRIGGER item_evicted_by_insert BEFORE INSERT ON item
WHEN EXISTS (SELECT 1 FROM item WHERE id = new.id)
  OR EXISTS (SELECT 1 FROM item WHERE uuid = new.uuid)
  OR (new.previous IS NOT NULL AND EXISTS (SELECT 1 FROM item WHERE previous = new.previous))
BEGIN
  DELETE FROM evicting;
  INSERT INTO evicting(kind, id)
  SELECT 'item', id FROM item WHERE id = new.id OR uuid = new.uuid
    OR (previous IS NOT NULL AND previous = new.previous)
  ORDER BY id = new.id;
END;
CREATE TRIGGER item_evicted_by_update BEFORE UPDATE OF uuid, previous ON item
WHEN EXISTS (SELECT 1 FROM item WHERE uuid = new.uuid AND id <> old.id)
  OR (new.previous IS NOT NULL AND EXISTS (SELECT 1 FROM item WHERE previous = new.previous AND id <> old.id))
BEGIN
  DELETE FROM evicting;
  INSERT INTO evicting(kind, id)
  SELECT 'item', id FROM item
  WHERE (uuid = new.uuid OR (previous IS NOT NULL AND previous = new.previous)) AND id <> old.id;
END;
CREATE TRIGGER list_evicted_by_insert BEFORE INSERT ON list
WHEN EXISTS (SELECT 1 FROM list WHERE id = new.id OR name = new.name OR position = new.position) BEGIN
  DELETE FROM evicting;
  INSERT INTO evicting(kind, id)
  SELECT 'list', id FROM list WHERE id = new.id OR name = new.name OR position = new.position
  ORDER BY id = new.id;
END;
CREATE TRIGGER list_evicted_by_update BEFORE UPDATE ON list
WHEN EXISTS (SELECT 1 FROM list WHERE (name = new.name OR position = new.position) AND id <> old.id) BEGIN
  DELETE FROM evicting;
  INSERT INTO evicting(kind, id)
  SELECT 'list', id FROM list WHERE (name = new.name OR position = new.position) AND id <> old.id;
END;

-- Each row that may be removed is written down as it was, in the journal and for the search index. Before it, so that an undo
-- puts them back after it, those that follow it.
CREATE TRIGGER evicting_item AFTER INSERT ON evicting WHEN new.kind = 'item' BEGIN
  INSERT INTO change(label, open) SELECT 'a change by another program', 0
  WHERE NOT EXISTS (SELECT 1 FROM change WHERE open = 1);
  INSERT INTO journal(change, kind, id, existed, uuid, list, position, title, notes, tags, done, archived, priority,
    due, due_day, every, anchor, previous, created, started, completed, extra, zone)
  SELECT (SELECT max(id) FROM change), 'item', id, 1, uuid, list, position, title, notes, tags, done, archived, priority,
    due, due_day, every, anchor, previous, created, started, completed, extra, zone
  FROM item WHERE previous = new.id;
  INSERT INTO journal(change, kind, id, existed, uuid, list, position, title, notes, tags, done, archived, priority,
    due, due_day, every, anchor, previous, created, started, completed, extra, zone)
  SELECT (SELECT max(id) FROM change), 'item', id, 1, uuid, list, position, title, notes, tags, done, archived, priority,
    due, due_day, every, anchor, previous, created, started, completed, extra, zone
  FROM item WHERE id = new.id;
  INSERT INTO item_to_index(item, indexed, title, notes)
  SELECT id, 1, title, (SELECT group_concat(value, char(10)) FROM json_each(item.notes)) FROM item
  WHERE id = new.id AND NOT EXISTS (SELECT 1 FROM item_to_index WHERE item = new.id);
END;
CREATE TRIGGER evicting_list AFTER INSERT ON evicting WHEN new.kind = 'list' BEGIN
  INSERT INTO change(label, open) SELECT 'a change by another program', 0
  WHERE NOT EXISTS (SELECT 1 FROM change WHERE open = 1);
  INSERT INTO journal(change, kind, id, existed, name, position, extra)
  SELECT (SELECT max(id) FROM change), 'list', id, 1, name, position, extra FROM list WHERE id = new.id;
END;

-- Afterwards the row itself, and what followed from the rows that are gone. A row that took the place of one with the same
-- number was there before: it is not noted as a new one, and an undo puts the old one back without removing it.
DROP TRIGGER item_journal_insert;
CREATE TRIGGER item_journal_insert AFTER INSERT ON item BEGIN
  INSERT INTO change(label, open) SELECT 'a change by another program', 0
  WHERE NOT EXISTS (SELECT 1 FROM change WHERE open = 1)
    AND NOT EXISTS (SELECT 1 FROM evicting WHERE kind = 'item' AND id = new.id);
  INSERT INTO journal(change, kind, id, existed) SELECT (SELECT max(id) FROM change), 'item', new.id, 0
  WHERE NOT EXISTS (SELECT 1 FROM evicting WHERE kind = 'item' AND id = new.id);
  DELETE FROM item_tag
  WHERE item IN (SELECT id FROM evicting WHERE kind = 'item' AND id NOT IN (SELECT id FROM item));
  UPDATE item SET previous = NULL
  WHERE previous IN (SELECT id FROM evicting WHERE kind = 'item' AND id NOT IN (SELECT id FROM item));
  DELETE FROM evicting;
END;
-- The row as it was is written down before what follows from the rows that are gone: that may be another update of the same row, and
-- an undo goes back through both, last one first. So both are one trigger, as the order of two is not defined.
DROP TRIGGER item_journal_update;
CREATE TRIGGER item_journal_update AFTER UPDATE ON item
WHEN (old.uuid, old.list, old.position, old.title, old.notes, old.tags, old.done, old.archived, old.priority, old.due,
    old.due_day, old.every, old.anchor, old.previous, old.created, old.started, old.completed, old.extra, old.zone)
  IS NOT (new.uuid, new.list, new.position, new.title, new.notes, new.tags, new.done, new.archived, new.priority,
    new.due, new.due_day, new.every, new.anchor, new.previous, new.created, new.started, new.completed, new.extra, new.zone)
BEGIN
  INSERT INTO change(label, open) SELECT 'a change by another program', 0
  WHERE NOT EXISTS (SELECT 1 FROM change WHERE open = 1);
  INSERT INTO journal(change, kind, id, existed, uuid, list, position, title, notes, tags, done, archived, priority,
    due, due_day, every, anchor, previous, created, started, completed, extra, zone)
  VALUES ((SELECT max(id) FROM change), 'item', old.id, 1, old.uuid, old.list, old.position, old.title, old.notes,
    old.tags, old.done, old.archived, old.priority, old.due, old.due_day, old.every, old.anchor, old.previous,
    old.created, old.started, old.completed, old.extra, old.zone);
  DELETE FROM item_tag
  WHERE item IN (SELECT id FROM evicting WHERE kind = 'item' AND id NOT IN (SELECT id FROM item));
  UPDATE item SET previous = NULL
  WHERE previous IN (SELECT id FROM evicting WHERE kind = 'item' AND id NOT IN (SELECT id FROM item));
  DELETE FROM evicting;
END;
-- item_tag.item REFERENCES item(id) ON DELETE CASCADE, item.previous REFERENCES item(id) ON DELETE SET NULL
--
-- The items that follow one that is removed are written down before it, so that an undo puts it back first.
DROP TRIGGER item_journal_delete;
CREATE TRIGGER item_journal_delete AFTER DELETE ON item BEGIN
  DELETE FROM item_tag WHERE item = old.id;
  UPDATE item SET previous = NULL WHERE previous = old.id;
  DELETE FROM evicting WHERE kind = 'item' AND id = old.id;
  INSERT INTO change(label, open) SELECT 'a change by another program', 0
  WHERE NOT EXISTS (SELECT 1 FROM change WHERE open = 1);
  INSERT INTO journal(change, kind, id, existed, uuid, list, position, title, notes, tags, done, archived, priority,
    due, due_day, every, anchor, previous, created, started, completed, extra, zone)
  VALUES ((SELECT max(id) FROM change), 'item', old.id, 1, old.uuid, old.list, old.position, old.title, old.notes,
    old.tags, old.done, old.archived, old.priority, old.due, old.due_day, old.every, old.anchor, old.previous,
    old.created, old.started, old.completed, old.extra, old.zone);
END;
DROP TRIGGER list_journal_insert;
CREATE TRIGGER list_journal_insert AFTER INSERT ON list BEGIN
  SELECT RAISE(ABORT, 'a list with items can not be replaced; move or delete its items first')
  FROM evicting AS gone WHERE kind = 'list' AND id NOT IN (SELECT id FROM list)
    AND EXISTS (SELECT 1 FROM item WHERE list = gone.id);
  INSERT INTO change(label, open) SELECT 'a change by another program', 0
  WHERE NOT EXISTS (SELECT 1 FROM change WHERE open = 1)
    AND NOT EXISTS (SELECT 1 FROM evicting WHERE kind = 'list' AND id = new.id);
  INSERT INTO journal(change, kind, id, existed) SELECT (SELECT max(id) FROM change), 'list', new.id, 0
  WHERE NOT EXISTS (SELECT 1 FROM evicting WHERE kind = 'list' AND id = new.id);
  DELETE FROM evicting;
END;
CREATE TRIGGER list_evicted_after_update AFTER UPDATE ON list WHEN EXISTS (SELECT 1 FROM evicting) BEGIN
  SELECT RAISE(ABORT, 'a list with items can not be replaced; move or delete its items first')
  FROM evicting AS gone WHERE kind = 'list' AND id NOT IN (SELECT id FROM list)
    AND EXISTS (SELECT 1 FROM item WHERE list = gone.id);
  DELETE FROM evicting;
END;
-- INSERT OR IGNORE leaves its row among them until the next statement; a row that is deleted since is a new one when it comes again.
CREATE TRIGGER list_evicting_after_delete AFTER DELETE ON list BEGIN
  DELETE FROM evicting WHERE kind = 'list' AND id = old.id;
END;

-- A row is put back without an upsert, which would be taken for a statement that could remove it.
DROP TRIGGER replay_item;
CREATE TRIGGER replay_item INSTEAD OF INSERT ON replay WHEN new.kind = 'item' AND new.existed = 1 BEGIN
  UPDATE item SET uuid = new.uuid, list = new.list, position = new.position, title = new.title, notes = new.notes,
    tags = new.tags, done = new.done, archived = new.archived, priority = new.priority, due = new.due,
    due_day = new.due_day, every = new.every, anchor = new.anchor, previous = new.previous, created = new.created,
    started = new.started, completed = new.completed, extra = new.extra, zone = new.zone
  WHERE id = new.id;
  INSERT INTO item(id, uuid, list, position, title, notes, tags, done, archived, priority, due, due_day, every, anchor,
    previous, created, started, completed, extra, zone)
  SELECT new.id, new.uuid, new.list, new.position, new.title, new.notes, new.tags, new.done, new.archived,
    new.priority, new.due, new.due_day, new.every, new.anchor, new.previous, new.created, new.started, new.completed,
    new.extra, new.zone
  WHERE NOT EXISTS (SELECT 1 FROM item WHERE id = new.id);
END;
DROP TRIGGER replay_list;
CREATE TRIGGER replay_list INSTEAD OF INSERT ON replay WHEN new.kind = 'list' AND new.existed = 1 BEGIN
  UPDATE list SET name = new.name, position = new.position, extra = new.extra WHERE id = new.id;
  INSERT INTO list(id, name, position, extra) SELECT new.id, new.name, new.position, new.extra
  WHERE NOT EXISTS (SELECT 1 FROM list WHERE id = new.id);
END;

-- With foreign keys off an item may have followed one that never was, which they refuse when it is put back.
DROP TRIGGER take_back;
CREATE TRIGGER take_back INSTEAD OF INSERT ON taking_back BEGIN
  UPDATE change SET spent = 1 WHERE id = new.undoes;
  INSERT INTO replay SELECT * FROM journal WHERE change = new.undoes ORDER BY seq DESC;
  UPDATE item SET previous = NULL WHERE previous IS NOT NULL AND previous NOT IN (SELECT id FROM item);
  UPDATE change SET open = 0 WHERE id = new.id;
END;
