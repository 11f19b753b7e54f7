-- What the planner should think. Without statistics SQLite takes all tables for equally large, reads all items and
-- sorts them; with these it walks the lists by position and each list's items in the order of their index, and a page
-- of twenty costs twenty rows. They are said here, and not gathered, because the plans must be the same from the first
-- item on, and because ANALYZE of a small database misleads it once it is large. They describe a full one: ten lists, a
-- hundred thousand items, one tag an item. (Tags must not outnumber items here: SQLite would build a filter of all
-- items first.)
--
-- Who adds an index to these tables adds its line.

ANALYZE sqlite_schema;  -- makes sqlite_stat1 where it is missing, and nothing else
DELETE FROM sqlite_stat1 WHERE tbl IN ('list', 'item', 'item_tag', 'item_to_index');
INSERT INTO sqlite_stat1(tbl, idx, stat) VALUES
  ('list', 'sqlite_autoindex_list_1', '10 1'),
  ('list', 'list_by_position', '10 1'),
  ('item', 'sqlite_autoindex_item_1', '100000 1'),
  ('item', 'item_by_list', '100000 10000 1'),
  ('item', 'item_open_by_list', '70000 7000 1'),
  ('item', 'item_open_by_due', '70000 200 200'),
  ('item', 'item_open_by_priority', '70000 18000'),
  ('item', 'item_open_with_time', '1000 1'),
  ('item', 'item_previous', '1000 1'),
  ('item_tag', 'item_tag_by_item', '100000 2 1'),
  ('item_tag', 'item_tag_by_tag', '100000 1000 1'),
  ('item_to_index', NULL, '1');
ANALYZE sqlite_schema;  -- and now has this connection read it
