-- Two tables of several pages each; Scripts/make-fixtures damages the second one.

CREATE TABLE good(id INTEGER PRIMARY KEY, title TEXT NOT NULL) STRICT;
CREATE TABLE bad(id INTEGER PRIMARY KEY, title TEXT NOT NULL) STRICT;
WITH RECURSIVE n(n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM n WHERE n < 40)
INSERT INTO good(title) SELECT printf('good row %d, long enough to fill pages', n) FROM n;
INSERT INTO bad(title) SELECT replace(title, 'good', 'bad') FROM good;
