import CFetchedResultsSQLite

extension Database {
  /// Adds an SQL function written in Swift to every connection.
  ///
  /// ```swift
  /// try database.addFunction("reversed", arguments: 1, isDeterministic: true) { values in
  ///   guard case .text(let text) = values[0] else { return .null }
  ///   return .text(String(text.reversed()))
  /// }
  /// ```
  /// An error that it throws becomes the error of the statement. Pass `isDeterministic: true` if equal arguments always
  /// give equal results; only then can a request that is followed row by row use it. Somebody else may have written the
  /// schema, so it must not call the function in a view, a trigger, a generated column or an index: SQLite refuses that
  /// (`SQLITE_DIRECTONLY`) when it reads or uses the schema. In a CHECK, it refuses only functions that are
  /// deterministic.
  ///
  /// A function that is added again replaces the previous one with the same number of arguments, on every connection
  /// and in cached statements. Observers and lists receive a change of everything.
  ///
  /// - Parameters:
  ///   - name: The name of the function in SQL.
  ///   - arguments: The number of arguments; nil for any number.
  ///   - isDeterministic: Whether equal arguments always give equal results.
  ///   - body: The function.
  public func addFunction(
    _ name: String, arguments: Int? = nil, isDeterministic: Bool = false,
    _ body: @escaping @Sendable ([Value]) throws -> Value
  ) throws {
    try checkName(name, "function")
    try addLibraryFunction(name, arguments: arguments, isDeterministic: isDeterministic, body)
  }

  /// Names with the library's prefix are reserved: a function of the same name would replace one of the library's.
  private func checkName(_ name: String, _ kind: String) throws {
    func refusal(_ why: String) -> DatabaseError { .misuse("the \(kind) \(name) can't be added: \(why)") }
    if name.asciiUppercased.hasPrefix("FRC_") { throw refusal("names that begin with frc_ are the library's own") }
    if name.isEmpty { throw refusal("its name is empty") }
    if name.utf8.contains(0) { throw refusal("its name contains NUL, where SQLite stops reading") }
    if kind == "collation", ["BINARY", "NOCASE", "RTRIM"].contains(name.asciiUppercased) {
      throw refusal("SQLite's own indices are sorted by that one; choose another name")
    }
  }

  /// Adds a function whose name begins with `frc_`.
  package func addLibraryFunction(
    _ name: String, arguments: Int? = nil, isDeterministic: Bool = false,
    _ body: @escaping @Sendable ([Value]) throws -> Value
  ) throws {
    try register("addFunction", replacing: ("pragma_function_list", name)) { connection in
      try connection.create(name, arguments, isDeterministic, body)
      do {
        try connection.readSchemaAgain()
      } catch {
        sqlite3_create_function_v2(
          connection.handle, name, Int32(clamping: arguments ?? -1), SQLITE_UTF8, nil, nil, nil, nil, nil)
        throw error
      }
      // A function for another number of arguments may match a compiled call better.
      connection.expireStatements()
    }
  }

  fileprivate static func call(
    _ body: ([Value]) throws -> Value, _ context: OpaquePointer?, _ count: Int32,
    _ arguments: UnsafeMutablePointer<OpaquePointer?>?
  ) {
    do {
      var values: [Value] = []
      for index in 0..<Int(count) {
        values.append(
          try Value(reading: arguments?[index]) {
            DatabaseError(code: .mismatch, message: "argument \(index + 1): \($0)")
          })
      }
      try body(values).give(to: context)
    } catch {
      sqlite3_result_error(context, "\(error)", -1)
    }
  }

  /// Adds a collation written in Swift to every connection.
  ///
  /// ```swift
  /// try database.addCollation("language") { left, right in left.localizedCompare(right).rawValue }
  /// let byName = FetchRequest<Item>(orderBy: [.ascending("title", collation: .named("language"))])
  /// ```
  ///
  /// `compare` returns a negative number, zero or a positive number, like `memcmp`. It must be a total order, and must
  /// not change while indices are sorted by it. A collation that is added again replaces the previous one everywhere; a
  /// column that is indexed by it then needs a `REINDEX`.
  public func addCollation(_ name: String, _ compare: @escaping @Sendable (String, String) -> Int) throws {
    try checkName(name, "collation")
    try register("addCollation", replacing: ("pragma_collation_list", name)) { connection in
      let box = Unmanaged.passRetained(Box(compare))
      let code = sqlite3_create_collation_v2(
        connection.handle, name, SQLITE_UTF8, box.toOpaque(),
        { data, leftCount, left, rightCount, right in
          guard let data else { return 0 }
          let compare = Unmanaged<Box<@Sendable (String, String) -> Int>>.fromOpaque(data).takeUnretainedValue().content
          let order = compare(
            String(decoding: UnsafeRawBufferPointer(start: left, count: Int(leftCount)), as: UTF8.self),
            String(decoding: UnsafeRawBufferPointer(start: right, count: Int(rightCount)), as: UTF8.self))
          return order < 0 ? -1 : order > 0 ? 1 : 0
        }, { data in data.map { Unmanaged<AnyObject>.fromOpaque($0).release() } })
      if code != SQLITE_OK {
        box.release()  // the destructor is not called here, unlike for functions
        throw DatabaseError(code, on: connection.handle, doing: "collation \(name)")
      }
    }
  }

  /// Attaches another database file to every connection under a name. Its tables are called `name.table`, also in an
  /// entity's ``RowModel/Entity/table``.
  ///
  /// ```swift
  /// try database.attach("/var/lib/shop/archive.db", as: "archive")
  /// let old = try database.read { c in try c.value("SELECT count(*) FROM archive.item", as: Int.self) }
  /// ```
  ///
  /// The file is opened with this database's options, and created if it is missing, as by ``init(path:options:)``: the
  /// journal, the durability and the cache are the same as for the main file. An attachment that is refused leaves no
  /// new file. The main file itself can't be attached, under any path, and no file can be attached twice.
  ///
  /// A transaction over several files is atomic for each of them, but not for all of them together if power fails.
  public func attach(_ path: String, as name: String) throws {
    guard path != ":memory:" else {
      throw DatabaseError.misuse(
        "a database in memory can't be attached, as every connection would have another one; use a file")
    }
    let attachment = registrations.newAttachment(of: FilePreparation.plain(path))
    let options = options
    let attach: @Sendable (Connection) throws -> Void = { connection in
      guard let path = attachment.path else { return }
      try connection.attach(path, as: name, options)
      // Later connections attach this very file, even if links or the working directory change.
      sqlite3_db_filename(connection.handle, name).map {
        attachment.resolve(to: OpenedFile(String(cString: $0)))
      }
      connection.attachedNames.append(name)
      connection.attachments.append(attachment.number)
      connection.attachmentsChanged()
    }
    try register("attach", attach) { writer in
      try self.checkAttachment(path, as: name, on: writer)
      let isNew = try FilePreparation.check(path, options)
      do {
        try attach(writer)
      } catch {
        if isNew { FilePreparation.removeIfEmpty(path) }
        throw error
      }
    }
    registrations.attached(attachment, as: name)
    if feed.hasObservers { watchFiles() }
  }

  /// Throws if SQLite would refuse to attach a file, or should, before the file is created.
  private func checkAttachment(_ path: String, as name: String, on writer: Connection) throws {
    func refusal(_ why: String) -> DatabaseError { .misuse("\(path) can't be attached as \(name): \(why)") }
    if name.isEmpty || name.utf8.contains(0) { throw refusal("the name is empty, or contains NUL") }
    // Tables are called `name.table`, for observers, lists and entities.
    if name.contains(".") { throw refusal("the name contains a dot, after which a table is expected") }
    if let file, FilePreparation.isSameFile(path, file) {
      throw refusal("it is the file of this database itself, whose tables are there already, as main.TABLE")
    }
    for other in writer.attachedNames {
      guard let file = sqlite3_db_filename(writer.handle, other).map({ String(cString: $0) }) else { continue }
      // SQLite would wait for itself, because it locks the file once for each name.
      if FilePreparation.isSameFile(path, file) { throw refusal("it is attached already, as \(other)") }
    }
  }

  /// Detaches a file that `attach` attached.
  ///
  /// ```swift
  /// try database.detach("archive")
  /// ```
  public func detach(_ name: String) throws {
    guard let attachment = registrations.attachment(name) else {
      throw DatabaseError.misuse("no file is attached as \(name)")
    }
    try register("detach") { connection in
      // A connection that was opened later never had it.
      if attachment.path == nil, sqlite3_db_filename(connection.handle, name) == nil { return }
      connection.forgetStatements()
      try connection.run("DETACH DATABASE \(SQL.quoted(name))")
      connection.attachedNames.removeAll { $0.isSameName(as: name) }
      connection.attachments.removeAll { $0 == attachment.number }
      connection.attachmentsChanged()
    }
    registrations.detached(name)
  }

  /// Applies a registration to the writer now, so that an error is thrown at once, and to every other connection when
  /// it is next used.
  ///
  /// - Parameters:
  ///   - list: The statement that lists existing registrations of this kind, and the name of this one: an existing one
  ///     is replaced, so everything may change for those who follow.
  func register(
    _ what: String, replacing list: (list: String, name: String)? = nil,
    _ entry: @escaping @Sendable (Connection) throws -> Void, first: ((Connection) throws -> Void)? = nil
  ) throws {
    try withWriter(what) { writer in
      let isReplaced =
        try list.map { list, name in
          try writer.internalValue(
            "SELECT EXISTS (SELECT 1 FROM \(list) WHERE name = ?1 COLLATE NOCASE)", [.text(name)]) != 0
        } ?? false
      try (first ?? entry)(writer)
      registrations.add(entry)
      writer.registrationVersion += 1
      try tracker.attachmentsMayHaveChanged(feed, on: writer)
      guard isReplaced else { return }
      feed.commitBegins()
      tracker.everythingChanged(feed, on: writer)
      feed.commitEnds()
    }
  }
}

extension Connection {
  /// Adds a function to this connection alone, if it is not there yet.
  package func addLibraryFunction(
    _ name: String, arguments: Int, isDeterministic: Bool, _ body: @escaping @Sendable ([Value]) throws -> Value
  ) throws {
    let isThere = try internalValue("SELECT EXISTS (SELECT 1 FROM pragma_function_list WHERE name = ?1)", [.text(name)])
    if isThere == .integer(0) { try create(name, arguments, isDeterministic, body) }
  }

  fileprivate func create(
    _ name: String, _ arguments: Int?, _ isDeterministic: Bool, _ body: @escaping @Sendable ([Value]) throws -> Value
  ) throws {
    let count = Int32(clamping: arguments ?? -1)
    let flags = SQLITE_UTF8 | SQLITE_DIRECTONLY | (isDeterministic ? SQLITE_DETERMINISTIC : 0)
    let code = sqlite3_create_function_v2(
      handle, name, count, flags, Unmanaged.passRetained(Box(body)).toOpaque(),
      { context, count, arguments in
        guard let data = sqlite3_user_data(context) else { return }
        let body = Unmanaged<Box<@Sendable ([Value]) throws -> Value>>.fromOpaque(data).takeUnretainedValue()
        Database.call(body.content, context, count, arguments)
      }, nil, nil, { data in data.map { Unmanaged<AnyObject>.fromOpaque($0).release() } })
    if code != SQLITE_OK { throw DatabaseError(code, on: handle, doing: "function \(name)") }
  }

  /// Makes SQLite read the schema again. It looks for functions that the schema must not call only while it does so.
  fileprivate func readSchemaAgain() throws {
    whenSchemaIsTouched?()
    try run("PRAGMA writable_schema = RESET")
    // Any table name makes SQLite read the whole schema.
    _ = try text("SELECT EXISTS (SELECT 1 FROM sqlite_schema)")
  }
}

private final class Box<Content>: Sendable where Content: Sendable {
  let content: Content
  init(_ content: Content) { self.content = content }
}
