INSERT INTO change(label, made) VALUES ('add "Café crème"', '2026-06-01T09:00:00Z');
INSERT INTO item(uuid, list, position, title, created) VALUES
  ('00000006-0000-4000-8000-000000000001', 1, 30064771072, 'Café crème', '2026-06-01T09:00:00Z');
UPDATE change SET open = 0 WHERE open = 1;
INSERT INTO change(label, made) VALUES ('remove "Fetch the parcel"', '2026-06-02T09:00:00Z');
DELETE FROM item WHERE title = 'Fetch the parcel';
UPDATE change SET open = 0 WHERE open = 1;
INSERT INTO change(label, made) VALUES ('add "Never mind"', '2026-06-03T09:00:00Z');
INSERT INTO item(uuid, list, position, title, created) VALUES
  ('00000006-0000-4000-8000-000000000002', 1, 34359738368, 'Never mind', '2026-06-03T09:00:00Z');
UPDATE change SET open = 0 WHERE open = 1;
-- The last change is undone, and waits to be redone; its number is gone all the same.
INSERT INTO change(kind, undoes, label, made) SELECT 'undo', id, label, '2026-06-03T09:01:00Z' FROM change WHERE id = 3;
INSERT INTO item_search(item_search, rowid, title, notes)
  SELECT 'delete', item, title, notes FROM item_to_index WHERE indexed = 1;
INSERT INTO item_search(rowid, title, notes)
  SELECT t.id, t.title, t.notes FROM item_to_index AS q JOIN item_text AS t ON t.id = q.item;
DELETE FROM item_to_index;
