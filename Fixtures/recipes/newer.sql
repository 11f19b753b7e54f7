-- What a program newer than this one left: a table that we don't know, and a column in one that we do.

CREATE TABLE reminder(id INTEGER PRIMARY KEY, item INTEGER NOT NULL REFERENCES item(id), at TEXT NOT NULL) STRICT;
ALTER TABLE item ADD COLUMN colour TEXT;
