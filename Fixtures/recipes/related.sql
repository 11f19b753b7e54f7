-- A small shop: one-to-many, many-to-many through a WITHOUT ROWID table, a self reference, cascades, a view that can be
-- written through its INSTEAD OF triggers, and an ordinary trigger that writes another table.

CREATE TABLE customer(
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  city TEXT COLLATE NOCASE,
  referred_by INTEGER REFERENCES customer(id) ON DELETE SET NULL  -- the self reference
) STRICT;
CREATE INDEX customer_referred_by ON customer(referred_by);

CREATE TABLE product(
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  price INTEGER NOT NULL CHECK (price >= 0),  -- in cents
  stock INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE TABLE "order"(  -- a keyword on purpose: who builds SQL must quote
  id INTEGER PRIMARY KEY,
  customer INTEGER NOT NULL REFERENCES customer(id) ON DELETE CASCADE ON UPDATE CASCADE,
  placed TEXT NOT NULL
) STRICT;
CREATE INDEX order_customer ON "order"(customer);

CREATE TABLE order_line(
  "order" INTEGER NOT NULL REFERENCES "order"(id) ON DELETE CASCADE ON UPDATE CASCADE,
  line INTEGER NOT NULL,
  product INTEGER NOT NULL REFERENCES product(id) ON DELETE RESTRICT,
  quantity INTEGER NOT NULL CHECK (quantity > 0),
  PRIMARY KEY ("order", line)
) STRICT, WITHOUT ROWID;
CREATE INDEX order_line_product ON order_line(product);

-- Who likes what: a pure many-to-many table with a key of two columns and nothing else.
CREATE TABLE favourite(
  customer INTEGER NOT NULL REFERENCES customer(id) ON DELETE CASCADE,
  product INTEGER NOT NULL REFERENCES product(id) ON DELETE CASCADE,
  PRIMARY KEY (customer, product)
) STRICT, WITHOUT ROWID;
CREATE INDEX favourite_product ON favourite(product);

CREATE TRIGGER order_line_takes_stock AFTER INSERT ON order_line BEGIN
  UPDATE product SET stock = stock - new.quantity WHERE id = new.product;
END;

CREATE VIEW order_detail AS
  SELECT o.id AS "order", l.line, c.name AS customer, p.name AS product, l.quantity, l.quantity * p.price AS amount
  FROM "order" AS o
  JOIN customer AS c ON c.id = o.customer
  JOIN order_line AS l ON l."order" = o.id
  JOIN product AS p ON p.id = l.product;
CREATE TRIGGER order_detail_update INSTEAD OF UPDATE OF quantity ON order_detail BEGIN
  UPDATE order_line SET quantity = new.quantity WHERE "order" = old."order" AND line = old.line;
END;
CREATE TRIGGER order_detail_delete INSTEAD OF DELETE ON order_detail BEGIN
  DELETE FROM order_line WHERE "order" = old."order" AND line = old.line;
END;

INSERT INTO customer VALUES
  (1, 'Ada', 'London', NULL), (2, 'Grace', 'New York', 1), (3, 'Linus', 'helsinki', 1), (4, 'Margaret', NULL, 2),
  (5, 'Annie', 'Helsinki', NULL);
INSERT INTO product VALUES
  (1, 'Pencil', 120, 500), (2, 'Notebook', 450, 200), (3, 'Eraser', 80, 300), (4, 'Ruler', 260, 0);
INSERT INTO "order" VALUES
  (1, 1, '2026-01-02T09:00:00Z'), (2, 1, '2026-01-05T17:30:00Z'), (3, 2, '2026-01-05T17:30:00Z'),
  (4, 3, '2026-02-01T00:00:00Z');
INSERT INTO order_line VALUES
  (1, 1, 1, 10), (1, 2, 2, 1), (2, 1, 3, 2), (3, 1, 2, 5), (3, 2, 1, 1), (3, 3, 3, 1);  -- order 4 has no lines
INSERT INTO favourite VALUES (1, 2), (1, 4), (2, 1), (3, 4);
