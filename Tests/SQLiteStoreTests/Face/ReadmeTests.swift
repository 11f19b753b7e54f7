import SQLiteStore
import Testing

/// What the README shows must compile and do what it says.
@Suite struct ReadmeTests {
  struct Item: MappedEntity {
    static let table = "item"
    static let mapping = Mapping(Item.init, ("id", \.id), ("title", \.title), ("done", \.done))
    var id: Int64?
    var title: String
    var done: Bool
  }

  @Test func `the example of the store works`() throws {
    let scratch = try Scratch()
    let told = Box<[[String: DirtyKeys]]>([])
    let database = try Database(path: scratch.path("shop.db"))
    try database.migrate([
      Migration("0001_item", sql: "CREATE TABLE item(id INTEGER PRIMARY KEY, title TEXT, done INTEGER)")
    ])
    let observation = database.observe(["item"]) { commit in told.change { $0.append(commit.changes) } }
    try database.write { c in try c.insert(Item(id: nil, title: "Groceries", done: false)) }
    let open = try database.read { c in try c.entities("SELECT * FROM item WHERE done = \(false)", of: Item.self) }
    try database.catchUp()
    #expect(open.map(\.title) == ["Groceries"] && told.value == [["item": .rowIDs([1])]])
    observation.cancel()
  }
}
