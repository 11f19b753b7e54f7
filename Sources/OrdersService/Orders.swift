import FetchedResults
import Foundation

// The tables, what is read from them, and what is written.

let migrations = [
  Migration(
    "0001_orders",
    sql: """
      CREATE TABLE customer(id INTEGER PRIMARY KEY, name TEXT NOT NULL);
      CREATE TABLE orders(
        id INTEGER PRIMARY KEY,
        customer INTEGER NOT NULL REFERENCES customer(id),
        status TEXT NOT NULL DEFAULT 'new' CHECK(status IN ('new', 'packed', 'sent')),
        placed TEXT NOT NULL,
        cents INTEGER NOT NULL);
      CREATE TABLE line(
        id INTEGER PRIMARY KEY,
        orders INTEGER NOT NULL REFERENCES orders(id) ON DELETE CASCADE,
        article TEXT NOT NULL,
        quantity INTEGER NOT NULL CHECK(quantity > 0),
        cents INTEGER NOT NULL);
      CREATE INDEX orders_customer ON orders(customer);
      CREATE INDEX orders_status ON orders(status, id);
      CREATE INDEX line_orders ON line(orders);
      INSERT INTO customer(name) VALUES ('Ada'), ('Brook'), ('Chen'), ('Dora'), ('Emil');
      """)
]

/// An order as lists show it, with its customer's name.
struct Order: MappedEntity, Codable, Equatable {
  static let table = "orders"
  static let mapping = Mapping(
    Order.init, ("id", \.id), ("status", \.status), ("placed", \.placed), ("cents", \.cents),
    ("customer", \.customer), ("customerName", \.customerName))
  var id: Int64
  var status: String
  var placed: Date
  var cents: Int
  var customer: Int64
  var customerName: String

  /// All orders, the newest first. A commit costs the rows that it has changed, whichever program made it.
  static let newest = FetchRequest<Order>(
    from: "orders JOIN customer ON customer.id = orders.customer", select: ["customerName": "customer.name"],
    orderBy: [.descending("orders.id")])

  /// The same, divided by their status.
  static var byStatus: FetchRequest<Order> {
    var request = newest
    request.sectionBy = .by(
      "orders.status",
      orderedBy: [.ascending("CASE orders.status WHEN 'new' THEN 0 WHEN 'packed' THEN 1 ELSE 2 END")])
    return request
  }
}

/// A customer with the number and the sum of the orders.
///
/// A commit of this program costs the rows that it concerns, since SQLite says what they were before. One of another
/// program queries the list again.
struct Customer: MappedEntity, Codable, Equatable {
  static let table = "customer"
  static let mapping = Mapping(
    Customer.init, ("id", \.id), ("name", \.name), ("orders", \.orders), ("cents", \.cents))
  var id: Int64
  var name: String
  var orders: Int
  var cents: Int

  static let all = FetchRequest<Customer>(
    select: [
      "orders": "(SELECT count(*) FROM orders WHERE orders.customer = customer.id)",
      "cents": "(SELECT coalesce(sum(orders.cents), 0) FROM orders WHERE orders.customer = customer.id)",
    ], orderBy: ["name"])
}

/// An order as a client sends it.
struct NewOrder: Codable {
  struct Line: Codable {
    var article: String
    var quantity: Int
    var cents: Int
  }
  var customer: Int64
  var lines: [Line]

  /// Whether the numbers are possible ones. Sums of others could overflow.
  var isPossible: Bool {
    lines.count <= 1000
      && lines.allSatisfy { (1...10_000).contains($0.quantity) && (0...10_000_000).contains($0.cents) }
  }
}

extension Connection {
  /// Places an order. Returns its id.
  func place(_ order: NewOrder) throws -> Int64 {
    let cents = order.lines.reduce(0) { $0 + $1.quantity * $1.cents }
    try execute("INSERT INTO orders(customer, placed, cents) VALUES (\(order.customer), \(Date()), \(cents))")
    let id = lastInsertedRowID
    for line in order.lines {
      try execute(
        """
        INSERT INTO line(orders, article, quantity, cents)
        VALUES (\(id), \(line.article), \(line.quantity), \(line.cents))
        """)
    }
    return id
  }

  /// Changes the status of an order. Returns whether there is such an order.
  func set(_ status: String, of order: Int64) throws -> Bool {
    try execute("UPDATE orders SET status = \(status) WHERE id = \(order)") > 0
  }
}
