-- Items that are put away, several notes an item, and what other programs' files held that we have no column for.

ALTER TABLE item ADD COLUMN archived INTEGER NOT NULL DEFAULT 0 CHECK (archived IN (0, 1));

-- A JSON object of fields that came with an import and are given back by an export, such as taskwarrior's `wait` or a
-- todo.txt priority beyond C. NULL when there are none, as nearly always.
ALTER TABLE item ADD COLUMN extra TEXT CHECK (extra GLOB '{*}');
ALTER TABLE list ADD COLUMN extra TEXT CHECK (extra GLOB '{*}');

-- Notes become a JSON array of text, as JSON shows them: an item has a few and they are read with it. The one note that
-- there was is the first.
ALTER TABLE item ADD COLUMN notes TEXT NOT NULL DEFAULT '[]' CHECK (notes GLOB '[[]*]');
UPDATE item SET notes = json_array(note) WHERE note <> '';
ALTER TABLE item DROP COLUMN note;

-- "Open" now means neither done nor archived. The literal terms `done = 0 AND archived = 0` in a query are what selects
-- these indices.
DROP INDEX item_open_by_list;
DROP INDEX item_open_by_due;
DROP INDEX item_open_with_time;
DROP INDEX item_open_by_priority;
CREATE INDEX item_open_by_list ON item(list, position) WHERE done = 0 AND archived = 0;
CREATE INDEX item_open_by_due ON item(due_day, due) WHERE done = 0 AND archived = 0;
CREATE INDEX item_open_with_time ON item(due) WHERE done = 0 AND archived = 0 AND length(due) > 10;
CREATE INDEX item_open_by_priority ON item(priority DESC) WHERE done = 0 AND archived = 0;
