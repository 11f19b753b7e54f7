-- A copy of an item that could be removed is out of date once that item is deleted.
--
-- Where a REPLACE, an INSERT OR IGNORE or an upsert removed nothing, the copies that were made before it are left in `evicting`. Deleting
-- such an item later sets `previous` of the items that follow it to NULL, by the foreign key and before any AFTER trigger: the journal of
-- that column took the item for one that a REPLACE had removed, and wrote its old copy. An undo then gave old content back.
CREATE TRIGGER item_evicting_before_delete BEFORE DELETE ON item BEGIN
  DELETE FROM evicting WHERE kind = 'item' AND evicted = old.id;
END;
