-- When an item is due, how it comes again, and when it was begun.

ALTER TABLE item ADD COLUMN started TEXT
  CHECK (started IS NULL OR started IS strftime('%Y-%m-%dT%H:%M:%SZ', started, '+0 days'));

-- Either a calendar day ("2031-01-02": that day, in whichever zone one is) or an instant ("2031-01-02T14:00:00Z": that
-- moment, whatever the clock on the wall says), exactly as JSON shows it. The length tells which.
ALTER TABLE item ADD COLUMN due TEXT
  CHECK (
    due IS NULL OR due IS strftime('%Y-%m-%d', due, '+0 days')
    OR due IS strftime('%Y-%m-%dT%H:%M:%SZ', due, '+0 days'));

-- The day under which it stands in the view by due day: `due` itself or, for an instant, its day in the zone of who
-- wrote it. It is a column because a view must be in an index, and no index can depend on the reader's zone. A reader
-- in another zone finds the few items for which the day differs by the index item_open_with_time, and shows their own
-- day.
ALTER TABLE item ADD COLUMN due_day TEXT
  CHECK (
    (due IS NULL) = (due_day IS NULL)
    AND (
      due_day IS NULL OR due_day = due
      OR (
        length(due) > 10 AND due_day IS strftime('%Y-%m-%d', due_day, '+0 days')
        AND abs(julianday(due_day) - julianday(substr(due, 1, 10))) <= 1)));

ALTER TABLE item ADD COLUMN every TEXT CHECK (every IN ('day', 'week', 'month', 'year'));

-- Where the rhythm of `every` began, by the clock on the wall: "2031-01-31" or "2031-01-31T09:00:00". Each instance is
-- counted from here and not from the one before, so that 31 January, 28 February is followed by 31 March, 29 February
-- comes back in leap years, and nine o'clock stays nine o'clock when summer time begins.
ALTER TABLE item ADD COLUMN anchor TEXT
  CHECK (
    anchor IS NULL
    OR (
      every IS NOT NULL
      AND (
        anchor IS strftime('%Y-%m-%d', anchor, '+0 days')
        OR anchor IS strftime('%Y-%m-%dT%H:%M:%S', anchor, '+0 days'))));

-- The instance that this one follows. Unique: whoever completes an item makes its next instance in the same
-- transaction with ON CONFLICT DO NOTHING, and no second one comes from done, undone, done, or from two processes.
ALTER TABLE item ADD COLUMN previous INTEGER REFERENCES item(id) ON DELETE SET NULL;
CREATE UNIQUE INDEX item_previous ON item(previous) WHERE previous IS NOT NULL;

-- By due day, those without a date last (SQLite reads the index in two parts for NULLS LAST).
CREATE INDEX item_open_by_due ON item(due_day, due) WHERE done = 0;
CREATE INDEX item_open_with_time ON item(due) WHERE done = 0 AND length(due) > 10;
