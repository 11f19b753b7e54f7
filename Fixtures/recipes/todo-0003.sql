UPDATE item SET priority = 3, tags = '["shop","town"]' WHERE title = 'Groceries';
UPDATE item SET priority = 1 WHERE title = 'Post Office';
INSERT INTO item(uuid, list, position, title, created, priority, tags) VALUES
  ('00000003-0000-4000-8000-000000000001', 1, 25769803776, 'Fetch the parcel', '2026-03-01T09:00:00Z', 2, '["town"]');
