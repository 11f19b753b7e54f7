import SQLiteStore

/// What an import has done, or would do.
public struct ImportResult: Equatable, Sendable {
  /// How many items are new.
  public var added = 0
  /// How many were there with other content, and were replaced.
  public var updated = 0
  /// How many were there already just so.
  public var unchanged = 0
  /// How many lists are new.
  public var addedLists = 0
  /// How many items have got another number than in the file.
  public var renumbered = 0
  /// The change that was made, without its items unless they were asked for; nil after a dry run.
  public var change: ChangeResult?

  init() {}
}

/// How an import is done.
public struct ImportOptions: Sendable {
  /// What the file is called in the log.
  public var source = "a file"
  /// Whether items that are there with other content are replaced; else they are a conflict.
  public var isUpdating = false
  /// Whether the result holds the items, for who prints them.
  public var collectsItems = false
  /// Called now and then with how many items have been dealt with.
  public var progress: @Sendable (_ done: Int, _ total: Int) -> Void = { _, _ in }

  /// Without replacing anything.
  public init() {}
}

extension TodoStore {
  /// Imports what a file holds: all of it in one transaction, or nothing.
  ///
  /// An item is known by its UUID, or, where the file has none, by all that it says; what is there already is not imported
  /// again. A known UUID with other content is a conflict, unless the options say to replace it.
  public func importItems(
    _ batch: ImportBatch, _ options: ImportOptions = ImportOptions()
  ) throws(TodoError) -> ImportResult {
    var result = ImportResult()
    result.change = try change("import") { changing in
      var importer = try Importer(changing.connection, changing.moment, batch)
      try importer.plan(isUpdating: options.isUpdating)
      result = importer.result
      let count = result.added + result.updated
      changing.subject = "\(count == 1 ? "1 item" : "\(count) items") from \"\(options.source)\""
      let ids = try importer.write(as: changing.change, options.progress)
      if options.collectsItems { changing.changed = ids }
    }
    return result
  }

  /// What ``importItems(_:_:)`` would do; nothing is written.
  public func importDryRun(
    _ batch: ImportBatch, _ options: ImportOptions = ImportOptions()
  ) throws(TodoError) -> ImportResult {
    let moment = moment
    return try read { connection in
      var importer = try Importer(connection, moment, batch)
      try importer.plan(isUpdating: options.isUpdating)
      return importer.result
    }
  }
}

extension ImportBatch {
  /// What an import into a database that there is none of yet would do.
  public func dryRunIntoNothing() throws(TodoError) -> ImportResult {
    try TodoStore.inMemory().importDryRun(self)
  }
}
