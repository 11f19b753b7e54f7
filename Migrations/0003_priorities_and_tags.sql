-- How urgent an item is, and what it is tagged with.

-- 3 high, 2 medium, 1 low, 0 none: a number, so that an index holds the order, and no NULL, so that "none" is last by
-- itself when read downwards.
ALTER TABLE item ADD COLUMN priority INTEGER NOT NULL DEFAULT 0 CHECK (priority BETWEEN 0 AND 3);
CREATE INDEX item_open_by_priority ON item(priority DESC) WHERE done = 0;

-- The tags of an item in the order given: a JSON array of text. The truth stands in the item's own row, because a list
-- that shows tags then reads (and follows) one table, and an edit, its undo and its difference are of one row.
--
-- The check is of the brackets only: in SQLite 3.40, for one, json_valid() and its like may not be used by a schema that
-- isn't trusted. json_each, which the triggers use, may be, and refuses malformed JSON.
ALTER TABLE item ADD COLUMN tags TEXT NOT NULL DEFAULT '[]' CHECK (tags GLOB '[[]*]');

-- The same, one row for each pair of item and tag: what filters by tag, and the entity of the view by tag. An untagged
-- item has one row without a tag, so that the view needs no outer join: it is this table, in index order, untagged
-- last. Triggers keep it; nobody else writes here. Tags differ by case, as they do in todo.txt and in taskwarrior.
--
-- A pair's id is positive, and AUTOINCREMENT starts at 1; the row of an untagged item is the item's number below zero.
-- Without AUTOINCREMENT the next id would be one more than the greatest, which may be the negative one of another item.
CREATE TABLE item_tag(
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  item INTEGER NOT NULL REFERENCES item(id) ON DELETE CASCADE,
  tag TEXT CHECK (tag <> ''),
  CHECK ((tag IS NULL) = (id < 0))
) STRICT;
CREATE UNIQUE INDEX item_tag_by_item ON item_tag(item, tag);
CREATE INDEX item_tag_by_tag ON item_tag(tag, item);

CREATE TRIGGER item_tag_after_insert AFTER INSERT ON item BEGIN
  INSERT INTO item_tag(id, item) SELECT -new.id, new.id WHERE new.tags = '[]';
  INSERT INTO item_tag(item, tag) SELECT DISTINCT new.id, value FROM json_each(new.tags) WHERE value <> '';
END;

-- A pair that stays keeps its row, so that in the view by tag it is the same item as before.
CREATE TRIGGER item_tag_after_update AFTER UPDATE OF tags ON item WHEN new.tags <> old.tags BEGIN
  DELETE FROM item_tag
  WHERE item = new.id AND (tag IS NULL OR tag NOT IN (SELECT value FROM json_each(new.tags)));
  INSERT INTO item_tag(item, tag)
  SELECT DISTINCT new.id, value FROM json_each(new.tags)
  WHERE value <> '' AND NOT EXISTS (SELECT 1 FROM item_tag WHERE item = new.id AND tag = value);
  INSERT INTO item_tag(id, item) SELECT -new.id, new.id WHERE new.tags = '[]';
END;

INSERT INTO item_tag(id, item) SELECT -id, id FROM item;
