INSERT INTO item(uuid, list, position, title, created, due, due_day, every, anchor, started) VALUES
  ('00000002-0000-4000-8000-000000000001', 1, 12884901888, 'Pay rent', '2026-02-01T09:00:00Z', '2026-02-28', '2026-02-28', 'month', '2026-01-31', NULL),
  ('00000002-0000-4000-8000-000000000002', 2, 21474836480, 'Call Auckland', '2026-02-01T09:01:00Z', '2026-02-03T21:30:00Z', '2026-02-04', NULL, NULL, '2026-02-02T08:00:00Z');
INSERT INTO item(uuid, list, position, title, created, done, completed, due, due_day, every, anchor) VALUES
  ('00000002-0000-4000-8000-000000000003', 1, 17179869184, 'Water the plants', '2026-02-01T09:02:00Z', 1, '2026-02-02T07:00:00Z', '2026-02-02', '2026-02-02', 'week', '2026-02-02');
INSERT INTO item(uuid, list, position, title, created, due, due_day, every, anchor, previous)
  SELECT '00000002-0000-4000-8000-000000000004', 1, 21474836480, title, completed, '2026-02-09', '2026-02-09', every, anchor, id
  FROM item WHERE uuid = '00000002-0000-4000-8000-000000000003';
