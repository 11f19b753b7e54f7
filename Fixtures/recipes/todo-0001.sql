-- What somebody wrote with the first version: run between migrations 0001 and 0002, as are its fellows at theirs.

INSERT INTO list(id, name, position) VALUES (1, 'Errands', 4294967296), (2, 'Career', 8589934592), (3, 'Empty', 12884901888);
INSERT INTO item(uuid, list, position, title, note, done, created, completed) VALUES
  ('00000001-0000-4000-8000-000000000001', 1, 4294967296, 'Groceries', 'milk' || char(10) || 'bread', 0, '2026-01-01T09:00:00Z', NULL),
  ('00000001-0000-4000-8000-000000000002', 1, 8589934592, 'Post Office', '', 0, '2026-01-01T09:01:00Z', NULL),
  ('00000001-0000-4000-8000-000000000003', 2, 4294967296, 'Presentation', '', 0, '2026-01-01T09:02:00Z', NULL),
  ('00000001-0000-4000-8000-000000000004', 2, 8589934592, 'Multiple Selections', 'say "when"', 0, '2026-01-01T09:03:00Z', NULL),
  ('00000001-0000-4000-8000-000000000005', 2, 12884901888, 'Ask for a raise', '', 1, '2026-01-01T09:04:00Z', '2026-01-02T10:00:00Z'),
  ('00000001-0000-4000-8000-000000000006', 2, 17179869184, 'Added by mistake', '', 0, NULL, NULL);
DELETE FROM item WHERE id = 6;  -- the greatest number, which must not be given again
