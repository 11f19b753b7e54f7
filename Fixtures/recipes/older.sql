-- What somebody wrote before the last migration.

INSERT INTO change(label, made) VALUES ('add "Groceries"', '2026-01-01T09:00:00Z');
INSERT INTO list(id, name, position) VALUES (1, 'Errands', 4294967296);
INSERT INTO item(uuid, list, position, title, notes, tags, created, due, due_day) VALUES
  ('00000001-0000-4000-8000-000000000001', 1, 4294967296, 'Groceries', '["milk\nbread"]', '["shop"]', '2026-01-01T09:00:00Z',
    '2026-02-28', '2026-02-28');
INSERT INTO change(label, made) VALUES ('add "Post Office"', '2026-01-01T09:01:00Z');
INSERT INTO item(uuid, list, position, title, created) VALUES
  ('00000001-0000-4000-8000-000000000002', 1, 8589934592, 'Post Office', '2026-01-01T09:01:00Z');
UPDATE change SET open = 0 WHERE open = 1;
