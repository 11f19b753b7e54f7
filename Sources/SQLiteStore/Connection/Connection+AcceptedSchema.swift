import CFetchedResultsSQLite

extension Connection {
  /// Makes SQLite accept its own JSON functions and full-text tables (FTS5) in the schema, if it has just refused one.
  /// Returns whether to try again what failed: it may succeed now, or its error is lost.
  ///
  /// SQLite 3.38 to 3.40 count the functions by mistake among those that a schema may call only if it is trusted (see
  /// `Database.Options.trustsSchema`), and versions before 3.44 the tables, although JSON in generated columns, CHECKs
  /// and indices is common, and so are full-text indexes that triggers keep up to date. So a connection whose schema
  /// uses one trusts it. Functions of the program stay refused.
  package func acceptsSchema(after code: Int32) -> Bool {
    // These are errors of the compiler. A trigger can fail with any words, but not with these codes.
    guard code & 0xFF == SQLITE_ERROR || code & 0xFF == SQLITE_CORRUPT, !hasAcceptedSchema,
      sqlite3_libversion_number() < 3_044_000, let message = sqlite3_errmsg(handle).map({ String(cString: $0) })
    else { return false }
    let table = "unsafe use of virtual table \""
    if message.hasPrefix(table) {
      // Asking the schema replaces SQLite's error, so the caller must cause it again.
      guard (try? isFullText(String(message.dropFirst(table.count).dropLast()))) == true else { return true }
    } else {
      let isFunction = Self.jsonFunctions.contains { name in
        let words = "unsafe use of \(name)()"
        return message == words || message.hasPrefix("malformed database schema (") && message.hasSuffix(" - " + words)
      }
      guard isFunction else { return false }
    }
    hasAcceptedSchema = true
    return frc_db_config(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 1) == SQLITE_OK
  }

  private static let jsonFunctions: Set = [
    "json", "json_array", "json_array_length", "json_extract", "->", "->>", "json_insert", "json_object", "json_patch",
    "json_quote", "json_remove", "json_replace", "json_set", "json_type", "json_valid", "json_group_array",
    "json_group_object",
  ]
}
