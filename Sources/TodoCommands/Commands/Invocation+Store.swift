import TodoCore

extension Invocation {
  /// The database to add to; it is created if it is missing.
  func storeToAdd() throws(TodoError) -> TodoStore { try .openForCommand(try location()) }

  /// The database to change. If it is missing, this is an empty one in memory: nothing can be changed then, and a
  /// command that fails, or finds nothing, leaves no file behind.
  func storeToChange() throws(TodoError) -> TodoStore {
    let location = try location()
    if Platform.status(of: location.path) != nil { return try .openForCommand(location) }
    if let store = try TodoStore.openToRead(location) { return store }
    return try .inMemory()
  }

  /// The database to read; nil if it is missing.
  ///
  /// - Parameter acceptsAltered: Whether to read it even if another program has altered its tables or triggers.
  func storeToRead(acceptsAltered: Bool = false) throws(TodoError) -> TodoStore? {
    let location = try location()
    Interruption.beginReading()
    return try .openToRead(location, acceptsAltered: acceptsAltered)
  }

  /// Ends a command that may have changed something, and then reports the change: by then all of it is in the file and
  /// on the disk. Neither an interruption nor output that can't be written changes that.
  func conclude(_ store: TodoStore, didChange: Bool, _ tell: () throws -> Void) throws -> Int32 {
    try conclude(store, didMake: didChange ? "the change" : nil, tell)
  }

  /// The same for something other than a change.
  func conclude(_ store: TodoStore, didMake what: String?, _ tell: () throws -> Void) throws -> Int32 {
    let hasRoom = try Interruption.held { check in
      defer { store.finish() }
      let hasRoom = try store.settle()
      try check()
      return hasRoom
    }
    if !hasRoom { try location().complainOfLog() }
    do {
      try tell()
    } catch TodoError.inputOutput(let message) {
      throw TodoError.inputOutput(message + (what.map { "; \($0) was made all the same" } ?? ""))
    }
    return 0
  }

  /// Ends a command that only reads, after it has printed its result.
  func conclude(_ store: TodoStore?) throws -> Int32 {
    store?.finish()
    try Interruption.endReading()
    return 0
  }

  /// The items that a command on several items applies to.
  ///
  /// - Parameters:
  ///   - example: How the command is used, for the error if no items were named.
  func selection(at moment: Moment, example: String) throws(TodoError) -> Selection {
    let selection = try selection(of: try choices, at: moment)
    if selection.isEmpty { throw .usage("`todo \(command.name)` needs at least one item, as in: \(example)") }
    return selection
  }

  /// The attributes that operands of `add` and `edit` say. One operand with spaces is a whole line; `edit` also takes
  /// one that is only a `note:` or a `list:`.
  func attributes(_ words: [String], isNew: Bool, at moment: Moment) throws(TodoError) -> Attributes {
    if words.count == 1, literal.isEmpty, words[0].contains(where: \.isWhitespace),
      isNew || !Keyword.takesText(words[0])
    {
      return try Attributes(line: words[0], keepsQuotes: true, at: moment, ask: question)
    }
    return try Attributes(arguments: words, literal: literal, at: moment, ask: question)
  }

  /// Asks on a terminal about a word that is near to a keyword.
  private var question: Attributes.Question? {
    guard canAsk else { return nil }
    return { typed, meant in
      switch Question.ask("\"\(typed)\": did you mean \(meant)? [y/n/t for title]", "ynt") {
      case "y": true
      case "t": false
      default: nil
      }
    }
  }

  /// The list that is meant by a name. On a terminal, one that doesn't exist and is near to another one is asked about.
  func list(_ name: String?, in store: TodoStore) throws(TodoError) -> String? {
    guard let name, canAsk, let near = try store.nearList(to: name) else { return name }
    let answer = Question.ask("there is no list \"\(name)\": did you mean \"\(near)\"? [y, or n for a new list]", "yn")
    return answer == "y" ? near : name
  }

  /// Whether nothing is to be printed about a change that was made.
  var isQuiet: Bool { form == .text && (has(.quiet) || (try? Settings.current.get().isQuiet) == true) }

  /// Whether somebody at a terminal can answer a question.
  var canAsk: Bool { form == .text && System.isTerminal(0) && System.isTerminal(2) }

  /// The selection, whose items are to be changed. Before a filter changes more than one, it asks on a terminal, and
  /// elsewhere refuses without --yes.
  ///
  /// - Parameter status: The states of the items if the filter names none.
  func confirmed(
    _ selection: Selection, status: Filter.Status = .open, in store: TodoStore
  ) throws(TodoError) -> Selection {
    if !selection.ids.isEmpty || has(.yes) { return selection }
    var chosen = selection
    chosen.filter.status = selection.filter.status ?? status
    let items = try store.items(chosen)
    if items.count < 2 { return selection }
    let sentence = "`\(fullName)` would change \(items.count) items"
    guard canAsk else { throw .usage("\(sentence); add --yes to change them all, or name their numbers") }
    if Question.ask("\(sentence): go on? [y/n]", "yn", about: items.map(\.id)) == "n" {
      throw .failure("nothing was changed")
    }
    // Those that were asked about, whatever matches by now.
    return Selection(items.map(\.id))
  }

  /// The items that numbers and filters select, together with the flags that filter.
  func selection(of arguments: [String], at moment: Moment) throws(TodoError) -> Selection {
    try Selection(
      arguments: arguments, text: values(.text), status: try ListCommand.status(self), at: moment, saved: savedFilters)
  }

  /// The filter of the operands and flags.
  func filter(at moment: Moment) throws(TodoError) -> Filter {
    try Filter(
      arguments: try choices, text: values(.text), status: try ListCommand.status(self), at: moment, saved: savedFilters
    )
  }

  /// Reads a saved filter: the only part of the arguments for which the database is opened early.
  var savedFilters: SavedFilters {
    if let saved { return saved }
    return { name throws(TodoError) in
      guard let store = try TodoStore.openToRead(try location()) else { return try noSavedFilters(name) }
      defer { store.finish() }
      return try store.savedFilter(name)
    }
  }

  /// Checks that there are no operands.
  func takeNone() throws(TodoError) {
    if let first = words.first { throw .usage("`\(fullName)` takes nothing more, such as \"\(first)\"") }
  }

  /// The single operand, which must exist.
  func takeOne(_ what: String, example: String) throws(TodoError) -> String {
    guard let first = words.first else { throw .usage("`\(fullName)` needs \(what), as in: \(example)") }
    if words.count > 1 {
      throw .usage("`\(fullName)` takes only \(what); put quotes around what contains spaces, as in: \(example)")
    }
    return first
  }

  /// As it is typed: "todo lists add".
  var fullName: String { "todo " + (parent.map { "\($0.name) " } ?? "") + command.name }
}

extension DatabaseLocation {
  /// Says that the disk had no room to move the log into the file.
  func complainOfLog() {
    Program.complain(
      "the last changes are not in \(path), whose disk is full or failing; they are safe in \(path)-wal beside it, so copy or "
        + "move both files together until there is room")
  }
}
