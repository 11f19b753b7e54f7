UPDATE item SET title = 'Ask for a big raise' WHERE title = 'Ask for a raise';
INSERT INTO item_search(item_search, rowid, title, notes)
  SELECT 'delete', item, title, notes FROM item_to_index WHERE indexed = 1;
INSERT INTO item_search(rowid, title, notes)
  SELECT t.id, t.title, t.notes FROM item_to_index AS q JOIN item_text AS t ON t.id = q.item;
DELETE FROM item_to_index;
