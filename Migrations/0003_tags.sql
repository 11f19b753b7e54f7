-- The tags of items, one row for each pair of item and tag: what filters by tag, and the entity of the view by tag.
--
-- An untagged item has one row without a tag, so that the view needs no outer join: it is this table, in index order,
-- untagged last. Triggers keep it as item.tags says; nobody else writes here. Tags differ by case, as they do in todo.txt
-- and in taskwarrior.
--
-- A pair's id is positive, and AUTOINCREMENT starts at 1; the row of an untagged item is the item's number below zero.
-- Without AUTOINCREMENT the next id would be one more than the greatest, which may be the negative one of another item.
CREATE TABLE item_tag(
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  item INTEGER NOT NULL,
  tag TEXT CHECK (tag <> ''),
  CHECK ((tag IS NULL) = (id < 0))
) STRICT;
CREATE UNIQUE INDEX item_tag_by_item ON item_tag(item, tag);
CREATE INDEX item_tag_by_tag ON item_tag(tag, item);

CREATE TRIGGER item_tag_after_insert AFTER INSERT ON item BEGIN
  DELETE FROM item_tag WHERE item = new.id;  -- of an item that this one has replaced
  INSERT INTO item_tag(item, tag) SELECT DISTINCT new.id, value FROM json_each(new.tags) WHERE value <> '';
  INSERT INTO item_tag(id, item) SELECT -new.id, new.id
  WHERE NOT EXISTS (SELECT 1 FROM item_tag WHERE item = new.id);
END;

-- A pair that stays keeps its row, so that in the view by tag it is the same item as before.
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

CREATE TRIGGER item_tag_after_delete AFTER DELETE ON item BEGIN
  DELETE FROM item_tag WHERE item = old.id;
END;
-- One that was removed by REPLACE; see 0002_journal.
CREATE TRIGGER item_tag_after_replace AFTER UPDATE OF change ON journal WHEN new.kind = 'item' BEGIN
  DELETE FROM item_tag WHERE item = new.id AND NOT EXISTS (SELECT 1 FROM item WHERE id = new.id);
END;

INSERT INTO sqlite_stat1(tbl, idx, stat) VALUES
  ('item_tag', 'item_tag_by_item', '100000 2 1'),
  ('item_tag', 'item_tag_by_tag', '100000 1000 1');
ANALYZE sqlite_schema;
