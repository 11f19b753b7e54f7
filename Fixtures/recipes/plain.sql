-- A plain table, for those fixtures whose point is the file and not what is in it.

CREATE TABLE item(id INTEGER PRIMARY KEY, title TEXT NOT NULL) STRICT;
INSERT INTO item(title) VALUES ('Groceries'), ('Post Office'), ('Presentation'), ('Multiple Selections');
