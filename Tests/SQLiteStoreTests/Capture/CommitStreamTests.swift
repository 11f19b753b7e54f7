import SQLiteStore
import Testing

/// Commits as a stream.
@Suite(.timeLimit(.minutes(2))) struct CommitStreamTests {
  private let lines = Box<[String]>([])
  private let database: Database

  init() throws {
    database = try Database.inMemory(
      options: .fast.with { [lines] in $0.log = { line in lines.change { $0.append(line) } } })
    try database.write { try $0.executeScript("CREATE TABLE item(id INTEGER PRIMARY KEY, title TEXT)") }
  }

  private func insert(_ title: String) throws {
    try database.write { try $0.execute("INSERT INTO item(title) VALUES (\(title))") }
  }

  @Test func `a slow reader receives what it has missed as one commit`() async throws {
    var commits = database.commits(to: ["item"]).makeAsyncIterator()
    for number in 1...600 { try insert("Milk \(number)") }
    let first = try #require(await commits.next())
    #expect(first.changes == ["item": .rowIDs(Array(1...600))])
    try insert("Bread")
    #expect(await commits.next()?.changes == ["item": .rowIDs([601])])
  }

  @Test func `a reader that waits is woken by a commit, and then by the end of the database`() async throws {
    let commits = database.commits(to: ["item"])
    let reading = Task { await commits.reduce(into: []) { $0.append($1.changes) } }
    try await Task.sleep(for: .milliseconds(20))
    try insert("Milk")
    try await Task.sleep(for: .milliseconds(20))
    try database.close()
    #expect(await reading.value == [["item": .rowIDs([1])]])
  }

  @Test func `a cancelled reader ends`() async throws {
    let reading = Task { [commits = database.commits(to: ["item"])] in for await _ in commits {} }
    try await Task.sleep(for: .milliseconds(20))
    reading.cancel()
    await reading.value
  }

  @Test func `a stream that is made when the database is closed ends`() async throws {
    try database.close()
    for await _ in database.commits(to: ["item"]) {}
  }

  @Test func `a table that does not exist is named in the log`() async throws {
    let observation = database.observe(["item", "items", "main.item", "temp.draft"]) { _ in }
    var tries = 0
    while lines.value.isEmpty, tries < 1000 {
      try await Task.sleep(for: .milliseconds(5))
      tries += 1
    }
    try await Task.sleep(for: .milliseconds(20))
    #expect(lines.value == ["there is no table items to observe; its commits are reported once it is created"])
    // Inside a write that creates it, nothing is said.
    let other = try await database.write { c in
      try c.execute("CREATE TABLE list(id INTEGER PRIMARY KEY)")
      return database.observe(["list"]) { _ in }
    }
    try await Task.sleep(for: .milliseconds(50))
    #expect(lines.value.count == 1)
    withExtendedLifetime((observation, other)) {}
  }
}
