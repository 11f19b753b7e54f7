import SQLiteStore

struct Item: MappedEntity, Equatable {
  static let table = "item"
  static let mapping = Mapping(Item.init, ("id", \.id), ("list", \.list), ("title", \.title), ("done", \.done))
  var id: Int64?
  var list: String
  var title: String
  var done = false
}

let schema = [
  Migration(
    "0001_item",
    sql: """
      CREATE TABLE item(id INTEGER PRIMARY KEY, list TEXT NOT NULL, title TEXT NOT NULL, done INTEGER NOT NULL DEFAULT 0)
      """)
]

func runDemo(path: String) throws {
  let database = try Database(path: path)
  try database.migrate(schema)
  try database.recordHistory(of: ["item"])
  print("A database at \(path), one migration applied.")

  let observation = database.observe(["item"]) { commit in
    let rows: String
    switch commit.changes["item"] {
    case .rowIDs(let ids)?: rows = "rows \(ids)"
    case .everything(let reason)?: rows = "everything, because of \(reason)"
    default: rows = "nothing"
    }
    print("  followed: \(!commit.isForeign ? "our commit" : "another program's commit") touched \(rows)")
  }

  print("\nFour items in one transaction:")
  try database.write { connection in
    for (list, title) in [
      ("Errands", "Groceries"), ("Errands", "Post Office"), ("Career", "Presentation"),
      ("Career", "Multiple Selections"),
    ] {
      try connection.insert(Item(id: nil, list: list, title: title))
    }
  }

  print("\nOne is done, and one is renamed:")
  try database.write { connection in
    try connection.execute("UPDATE item SET done = \(true) WHERE title = \("Groceries")")
    try connection.execute("UPDATE item SET title = \("Slides; DROP TABLE item") WHERE id = \(3)")
  }

  print("\nA write that throws leaves nothing, and reports nothing:")
  do {
    try database.write { connection in
      try connection.execute("DELETE FROM item")
      try connection.insert(Item(id: 1, list: "Errands", title: "Twice"))
      try connection.insert(Item(id: 1, list: "Errands", title: "Twice"))
    }
  } catch {
    print("  \(error)")
  }

  print("\nAnother program writes to the same file:")
  try startOtherProgram(path: path)
  try database.catchUp()

  print("\nWhat is there now:")
  for item in try database.read({ try $0.all(Item.self) }) {
    print("  \(item.id ?? 0)  [\(item.done ? "x" : " ")] \(item.list): \(item.title)")
  }
  observation.cancel()
  print("\nThe file is sound: \(try database.integrityCheck().isEmpty ? "yes" : "no")")
}

func runOtherProgram(path: String) throws {
  let database = try Database(path: path)
  try database.write { connection in
    try connection.insert(Item(id: nil, list: "Errands", title: "Bring the parcel back"))
    try connection.delete(Item.self, id: 2)
  }
}
