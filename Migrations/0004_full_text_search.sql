-- Search for words in titles and notes.

-- What is searched, as text: the notes without the JSON around them, one a line.
CREATE VIEW item_text AS
  SELECT id, title, (SELECT group_concat(value, char(10)) FROM json_each(item.notes)) AS notes FROM item;

-- Contentless: the index holds words and places, and no second copy of the text; a search gives ids (`rowid`). External
-- content would be the same and more, but it can't read a view that uses json_each. It finds words whatever their
-- accents and case. An index over the words' beginnings isn't worth its writes: `prefix*` walks the words in order.
CREATE VIRTUAL TABLE item_search USING fts5(
  title, notes, content = '', tokenize = 'unicode61 remove_diacritics 2');

-- Triggers don't write to the index: that would cost every statement, and in SQLite 3.40, for one, they may not where the
-- schema is not trusted. They write down here what the index doesn't know yet, and the writer brings it up to date at the
-- end of its transaction (nothing to do for those statements where no text changed):
--
--   INSERT INTO item_search(item_search, rowid, title, notes)
--     SELECT 'delete', item, title, notes FROM item_to_index WHERE indexed = 1;
--   INSERT INTO item_search(rowid, title, notes)
--     SELECT t.id, t.title, t.notes FROM item_to_index AS q JOIN item_text AS t ON t.id = q.item;
--   DELETE FROM item_to_index;
--
-- What another program writes waits here for the next such writer; a search reads these few items beside the index.
-- A contentless index must be given the very text that it holds when a row goes: so the first text stays.
CREATE TABLE item_to_index(
  item INTEGER PRIMARY KEY,  -- no foreign key: it may be gone, and then the index must still forget it
  indexed INTEGER NOT NULL CHECK (indexed IN (0, 1)),  -- whether the index holds the text that follows
  title TEXT,
  notes TEXT
) STRICT;

CREATE TRIGGER item_to_index_after_insert AFTER INSERT ON item BEGIN
  INSERT INTO item_to_index(item, indexed) SELECT new.id, 0
  WHERE NOT EXISTS (SELECT 1 FROM item_to_index WHERE item = new.id);
END;

INSERT INTO item_to_index(item, indexed) SELECT id, 0 FROM item;

-- Most updates (done, a move, a date) leave the text as it was.
CREATE TRIGGER item_to_index_after_update AFTER UPDATE OF title, notes ON item
WHEN new.title <> old.title OR new.notes <> old.notes BEGIN
  INSERT INTO item_to_index(item, indexed, title, notes)
  SELECT old.id, 1, old.title, (SELECT group_concat(value, char(10)) FROM json_each(old.notes))
  WHERE NOT EXISTS (SELECT 1 FROM item_to_index WHERE item = old.id);
END;

CREATE TRIGGER item_to_index_after_delete AFTER DELETE ON item BEGIN
  INSERT INTO item_to_index(item, indexed, title, notes)
  SELECT old.id, 1, old.title, (SELECT group_concat(value, char(10)) FROM json_each(old.notes))
  WHERE NOT EXISTS (SELECT 1 FROM item_to_index WHERE item = old.id);
END;

-- One that a REPLACE may remove; see 0002_journal. If it stays, its text is indexed again.
CREATE TRIGGER item_to_replace_index INSTEAD OF INSERT ON item_to_replace BEGIN
  INSERT INTO item_to_index(item, indexed, title, notes)
  SELECT id, 1, title, notes FROM item_text
  WHERE id = new.id AND NOT EXISTS (SELECT 1 FROM item_to_index WHERE item = new.id);
END;

INSERT INTO sqlite_stat1(tbl, idx, stat) VALUES ('item_to_index', NULL, '1');
ANALYZE sqlite_schema;
