-- Undo and redo apart from the recording of changes.
--
-- SQLite compiles a statement with all triggers that it could fire, and theirs. Every write to an item may insert a
-- change (that of another program), and inserting a change could replay the journal: so each of them was compiled with
-- all of undo, which took two milliseconds where running it takes a twentieth. Now to take a change back is two steps:
--
--   INSERT INTO change(kind, undoes, label) VALUES ('undo', :id, :label);
--   INSERT INTO taking_back(id, undoes) VALUES (last_insert_rowid(), :id);
--
-- The first says so, the second does it and closes the change. All else is as 0006 says.

DROP TRIGGER change_undo;

CREATE VIEW taking_back AS SELECT id, undoes FROM change WHERE undoes IS NOT NULL;

CREATE TRIGGER take_back INSTEAD OF INSERT ON taking_back BEGIN
  UPDATE change SET spent = 1 WHERE id = new.undoes;
  INSERT INTO replay SELECT * FROM journal WHERE change = new.undoes ORDER BY seq DESC;
  UPDATE change SET open = 0 WHERE id = new.id;
END;
