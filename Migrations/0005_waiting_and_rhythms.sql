-- Recurrences beyond the four of `every`, and the date until which an item is hidden.
--
-- `rhythm` refines `every`: "2weeks", "mon,thu", "3days-after-done". The CHECK of `every` can't be altered unless the
-- table is made again and all rows are written, so `every` keeps the nearest of its four words: other programs, which
-- know only that column, find the item, and are nearly right. There is no CHECK over both columns, as one would refuse
-- the updates of such programs. A rhythm whose nearest word is not in `every` is out of date, and ignored.
ALTER TABLE item ADD COLUMN rhythm TEXT CHECK (rhythm <> '');
-- In the form of `due`: a day, at whose beginning in the reader's zone an open item appears in the lists, or a moment.
ALTER TABLE item ADD COLUMN wait TEXT
  CHECK (
    wait IS NULL OR wait IS strftime('%Y-%m-%d', wait, '+0 days')
    OR wait IS strftime('%Y-%m-%dT%H:%M:%SZ', wait, '+0 days'));

-- When a live list must look again.
CREATE INDEX item_waiting ON item(wait) WHERE wait IS NOT NULL AND done = 0 AND archived = 0;

-- The journal with these columns. The triggers are those of 0002_journal, which says why they are as they are.
ALTER TABLE journal ADD COLUMN rhythm TEXT;
ALTER TABLE journal ADD COLUMN wait TEXT;

DROP TRIGGER item_to_replace_journal;
CREATE TRIGGER item_to_replace_journal INSTEAD OF INSERT ON item_to_replace BEGIN
  INSERT INTO journal(change, kind, id, existed, uuid, list, position, title, notes, tags, done, archived, priority,
    due, due_day, every, anchor, zone, previous, created, started, completed, extra, rhythm, wait)
  SELECT NULL, 'item', id, 1, uuid, list, position, title, notes, tags, done, archived, priority, due, due_day, every,
    anchor, zone, previous, created, started, completed, extra, rhythm, wait
  FROM item WHERE id = new.id;
END;

DROP TRIGGER item_journal_update;
CREATE TRIGGER item_journal_update AFTER UPDATE OF list, position, title, notes, tags, done, archived, priority, due,
  due_day, every, anchor, zone, created, started, completed, extra, rhythm, wait ON item
WHEN (old.list, old.position, old.title, old.notes, old.tags, old.done, old.archived, old.priority, old.due,
    old.due_day, old.every, old.anchor, old.zone, old.created, old.started, old.completed, old.extra,
    old.rhythm, old.wait)
  IS NOT (new.list, new.position, new.title, new.notes, new.tags, new.done, new.archived, new.priority, new.due,
    new.due_day, new.every, new.anchor, new.zone, new.created, new.started, new.completed, new.extra,
    new.rhythm, new.wait)
BEGIN
  INSERT INTO change(label, open) SELECT 'a change by another program', 0
  WHERE NOT EXISTS (SELECT 1 FROM change WHERE open = 1);
  INSERT INTO journal(change, kind, id, existed, uuid, list, position, title, notes, tags, done, archived, priority,
    due, due_day, every, anchor, zone, previous, created, started, completed, extra, rhythm, wait)
  VALUES ((SELECT max(id) FROM change), 'item', old.id, 1, old.uuid, old.list, old.position, old.title, old.notes,
    old.tags, old.done, old.archived, old.priority, old.due, old.due_day, old.every, old.anchor, old.zone, old.previous,
    old.created, old.started, old.completed, old.extra, old.rhythm, old.wait);
END;

DROP TRIGGER item_journal_keys;
CREATE TRIGGER item_journal_keys AFTER UPDATE OF uuid, previous ON item
WHEN (old.uuid, old.previous) IS NOT (new.uuid, new.previous) BEGIN
  INSERT INTO change(label, open) SELECT 'a change by another program', 0
  WHERE NOT EXISTS (SELECT 1 FROM change WHERE open = 1);
  UPDATE journal SET change = (SELECT max(id) FROM change)
  WHERE change IS NULL AND kind = 'item' AND id NOT IN (SELECT id FROM item);
  INSERT INTO journal(change, kind, id, existed, uuid, list, position, title, notes, tags, done, archived, priority,
    due, due_day, every, anchor, zone, previous, created, started, completed, extra, rhythm, wait)
  VALUES ((SELECT max(id) FROM change), 'item', old.id, 1, old.uuid, old.list, old.position, old.title, old.notes,
    old.tags, old.done, old.archived, old.priority, old.due, old.due_day, old.every, old.anchor, old.zone, old.previous,
    old.created, old.started, old.completed, old.extra, old.rhythm, old.wait);
END;

DROP TRIGGER item_journal_delete;
CREATE TRIGGER item_journal_delete AFTER DELETE ON item BEGIN
  INSERT INTO change(label, open) SELECT 'a change by another program', 0
  WHERE NOT EXISTS (SELECT 1 FROM change WHERE open = 1);
  DELETE FROM journal WHERE change IS NULL AND kind = 'item' AND id = old.id;
  INSERT INTO journal(change, kind, id, existed, uuid, list, position, title, notes, tags, done, archived, priority,
    due, due_day, every, anchor, zone, previous, created, started, completed, extra, rhythm, wait)
  VALUES ((SELECT max(id) FROM change), 'item', old.id, 1, old.uuid, old.list, old.position, old.title, old.notes,
    old.tags, old.done, old.archived, old.priority, old.due, old.due_day, old.every, old.anchor, old.zone, old.previous,
    old.created, old.started, old.completed, old.extra, old.rhythm, old.wait);
END;

DROP TRIGGER replay_item;
CREATE TRIGGER replay_item INSTEAD OF INSERT ON replay WHEN new.kind = 'item' AND new.existed = 1 BEGIN
  UPDATE item SET uuid = new.uuid, list = new.list, position = new.position, title = new.title, notes = new.notes,
    tags = new.tags, done = new.done, archived = new.archived, priority = new.priority, due = new.due,
    due_day = new.due_day, every = new.every, anchor = new.anchor, zone = new.zone, previous = new.previous,
    created = new.created, started = new.started, completed = new.completed, extra = new.extra,
    rhythm = new.rhythm, wait = new.wait
  WHERE id = new.id;
  INSERT INTO item(id, uuid, list, position, title, notes, tags, done, archived, priority, due, due_day, every, anchor,
    zone, previous, created, started, completed, extra, rhythm, wait)
  SELECT new.id, new.uuid, new.list, new.position, new.title, new.notes, new.tags, new.done, new.archived, new.priority,
    new.due, new.due_day, new.every, new.anchor, new.zone, new.previous, new.created, new.started, new.completed,
    new.extra, new.rhythm, new.wait
  WHERE NOT EXISTS (SELECT 1 FROM item WHERE id = new.id);
END;

INSERT INTO sqlite_stat1(tbl, idx, stat) VALUES ('item', 'item_waiting', '1000 1');
ANALYZE sqlite_schema;
