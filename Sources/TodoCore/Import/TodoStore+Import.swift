import SQLiteStore

/// The result of an import or of a dry run.
public struct ImportResult: Equatable, Sendable {
  /// The number of new items.
  public var added = 0
  /// The number of existing items with other content, which were replaced.
  public var updated = 0
  /// The number of items that existed with the same content.
  public var unchanged = 0
  /// The number of new lists.
  public var addedLists = 0
  /// The number of existing lists that got fields of the file.
  public var updatedLists = 0
  /// The number of items that got another number than in the file.
  public var renumbered = 0
  /// What was left out, one sentence for each, such as a previous instance that is unknown.
  public var warnings: [String] = []
  /// The change that was made, without its items unless they were requested; nil after a dry run.
  public var change: ChangeResult?

  init() {}
}

/// The options of an import.
public struct ImportOptions: Sendable {
  /// The name of the file in the log.
  public var source = "a file"
  /// Whether to replace existing items with other content; otherwise they are a conflict.
  public var isUpdating = false
  /// Whether the result contains the items, for callers that print them.
  public var collectsItems = false
  /// Called from time to time with the number of processed items.
  public var progress: @Sendable (_ done: Int, _ total: Int) -> Void = { _, _ in }

  /// Creates the default options, which replace nothing.
  public init() {}
}

extension TodoStore {
  /// Imports a file: all of it in one transaction, or nothing.
  ///
  /// An item is identified by its UUID or, if the file has none, by its whole content; an existing item is not imported
  /// again. A known UUID with other content is a conflict, unless the options allow replacing it.
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

  /// Returns what ``importItems(_:_:)`` would do; writes nothing.
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
  /// Returns what an import into a missing database would do.
  public func dryRunIntoNothing() throws(TodoError) -> ImportResult {
    try TodoStore.inMemory().importDryRun(self)
  }
}
