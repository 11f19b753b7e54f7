-- The sample of the original example, on the newest schema: the same that AddToDoViewModel makes in memory.

INSERT INTO change(label, made) VALUES ('the sample', '2026-01-01T00:00:00Z');
INSERT INTO list(id, name, position) VALUES (1, 'Errands', 4294967296), (2, 'Career', 8589934592);
INSERT INTO item(uuid, list, position, title, created) VALUES
  ('00000000-0000-4000-8000-000000000001', 1, 4294967296, 'Groceries', '2026-01-01T00:00:00Z'),
  ('00000000-0000-4000-8000-000000000002', 1, 8589934592, 'Post Office', '2026-01-01T00:00:00Z'),
  ('00000000-0000-4000-8000-000000000003', 2, 4294967296, 'Presentation', '2026-01-01T00:00:00Z'),
  ('00000000-0000-4000-8000-000000000004', 2, 8589934592, 'Multiple Selections', '2026-01-01T00:00:00Z');
UPDATE change SET open = 0 WHERE open = 1;
INSERT INTO item_search(rowid, title, notes)
  SELECT t.id, t.title, t.notes FROM item_to_index AS q JOIN item_text AS t ON t.id = q.item;
DELETE FROM item_to_index;
