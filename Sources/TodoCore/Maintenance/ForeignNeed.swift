import SQLiteStore

/// What an object of another program needs and this program does not have: a function, a collation, or a kind of table.
struct ForeignNeed {
  /// "the function myfunc"
  private let what: String
  private let name: String

  /// Nil if the error is about something else.
  init?(_ error: DatabaseError) {
    let kinds: KeyValuePairs = [
      "unknown function: ": "function", "no such function: ": "function", "no such collation sequence: ": "collation",
      "no such module: ": "module",
    ]
    guard let (words, kind) = kinds.first(where: { error.message.hasPrefix($0.key) }) else { return nil }
    let rest = error.message.dropFirst(words.count)
    name = String(rest.prefix { !$0.isNewline && $0 != "(" && $0 != ";" && $0 != " " })
    what = "the \(kind) \(name)"
  }

  /// The index, trigger, view or table that needs it, and what to do; nil if not found.
  func problem(_ objects: SchemaObjects, _ expected: SchemaObjects) -> String? {
    let word = name.asciiLowercased
    let owners = objects.found.filter { owner, sql in
      sql.asciiLowercased.contains(word) && expected.found[owner]?.asciiLowercased.contains(word) != true
    }.keys.sorted().map { owner in
      expected.found[owner] == nil ? "\(owner) of another program" : "what another program has added to \(owner)"
    }
    if owners.isEmpty { return nil }
    return
      "\(owners.joined(separator: ", ")) needs \(what), which this program does not have; drop it, or change the database "
      + "with that program"
  }
}

extension TodoStore {
  /// The error for a need of another program's object; nil if the error is about something else.
  func unmetNeed(_ error: DatabaseError) throws -> TodoError? {
    guard let need = ForeignNeed(error) else { return nil }
    return try need.problem(database.read { try SchemaObjects($0) }, SchemaObjects.expected()).map { .failure($0) }
  }

  /// The error for a change by which triggers of other programs fire without end; nil if it is another error.
  func endlessTriggers(_ error: DatabaseError) throws -> TodoError? {
    guard error.isOfEndlessTriggers else { return nil }
    let names = try foreignTriggers()
    if names.isEmpty { return nil }
    return .failure(
      "a trigger of another program (\(names.joined(separator: ", "))) changes what it fires for, and fires for its own "
        + "changes without end; let it change only what is not yet as it wants it, or drop it")
  }

  /// The error for a change that can't be made because a foreign key of another program's table refers to columns
  /// that are no key; nil if it is another error.
  func unfitKey(_ error: DatabaseError) throws -> TodoError? {
    guard let table = error.tableWithUnfitKey else { return nil }
    return .failure(
      "nothing was changed, because a foreign key of another program's table (\(table)) refers to columns that are no key; "
        + "change or drop that table")
  }

  /// The error for a change that fails because a trigger of another program can't run; nil if there is no such trigger.
  func brokenTrigger(_ error: DatabaseError) throws -> TodoError? {
    let reason = error.message.split(separator: "\n").first ?? ""
    guard reason.hasPrefix("no such ") || reason.contains(" has no column ") else { return nil }
    let names = try foreignTriggers()
    if names.isEmpty { return nil }
    return .failure(
      "nothing was changed, because a trigger of another program (\(names.joined(separator: ", "))) can't run (\(reason)); "
        + "drop it, and try again")
  }

  /// The error for a change that a trigger or a foreign key of another program forbids; nil if it is another error.
  func refusalByOthers(_ error: DatabaseError) throws -> TodoError? {
    let reason = error.message.split(separator: "\n").first ?? ""
    // SQLite reports ON DELETE RESTRICT as a trigger.
    let isOfKey = error.extendedCode == .constraintForeignKey || reason.hasPrefix("FOREIGN KEY constraint failed")
    switch error.extendedCode {
    case .constraintTrigger where !isOfKey:
      let names = try foreignTriggers()
      if names.isEmpty { return nil }
      return .failure(
        "a trigger of another program refused this (\(names.joined(separator: ", "))): \(reason); drop it, or do what it asks for"
      )
    case _ where isOfKey:
      let expected = try SchemaObjects.expected()
      let names = try database.read { connection in
        try SchemaObjects(connection).foreign("table", expected).filter { name in
          try connection.value(
            "SELECT EXISTS(SELECT 1 FROM pragma_foreign_key_list(\(name)) WHERE lower(\"table\") IN ('item', 'list'))")
            == 1
        }
      }
      if names.isEmpty { return try refusalByTriggers(reason) }
      return .failure(
        "rows of another program's table refer to what would be removed, and forbid that (\(names.joined(separator: ", "))); "
          + "delete them first")
    default: return try refusalByTriggers(reason)
    }
  }

  /// The error for a change that the schema refuses, perhaps for what a trigger of another program has made of it.
  private func refusalByTriggers(_ reason: some StringProtocol) throws -> TodoError? {
    let names = try foreignTriggers()
    if names.isEmpty { return nil }
    return .failure(
      "this is refused (\(reason)), perhaps because of what a trigger of another program does "
        + "(\(names.joined(separator: ", "))); drop it, and try again")
  }
}

extension DatabaseError {
  /// The table whose foreign key refers to columns that are no key; nil if the error is about something else.
  var tableWithUnfitKey: String? {
    guard code == .error, let words = message.firstRange(of: "foreign key mismatch - \"") else { return nil }
    return String(message[words.upperBound...].prefix { $0 != "\"" })
  }

  /// Whether triggers called each other too often, or one called itself.
  var isOfEndlessTriggers: Bool { code == .error && message.contains("too many levels of trigger recursion") }
}
