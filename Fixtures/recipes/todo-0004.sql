INSERT INTO item(uuid, list, position, title, created, done, completed, archived, notes, extra) VALUES
  ('00000004-0000-4000-8000-000000000001', 2, 25769803776, 'Old business', NULL, 1, NULL, 1, '["one","two lines\nof it"]', '{"todotxt":{"priority":"D"}}');
