import CFetchedResultsSQLite

extension Connection {
  /// Makes SQLite accept its own JSON functions in the schema, if it has just refused one. Returns whether what failed
  /// may succeed now.
  ///
  /// SQLite 3.38 to 3.40 count them by mistake among the functions that a schema may call only if it is trusted (see
  /// `Database.Options.trustsSchema`), although JSON in generated columns, CHECKs and indices is common. So a
  /// connection whose schema calls one trusts it. Functions of the program stay refused.
  package func acceptsJSONFunctions(after code: Int32) -> Bool {
    // These are errors of the compiler. A trigger can fail with any words, but not with these codes.
    guard code & 0xFF == SQLITE_ERROR || code & 0xFF == SQLITE_CORRUPT, !hasAcceptedJSONFunctions,
      sqlite3_libversion_number() < 3_041_000, let message = sqlite3_errmsg(handle).map({ String(cString: $0) }),
      Self.jsonFunctions.contains(where: { name in
        let words = "unsafe use of \(name)()"
        return message == words || message.hasPrefix("malformed database schema (") && message.hasSuffix(" - " + words)
      })
    else { return false }
    hasAcceptedJSONFunctions = true
    return frc_db_config(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 1) == SQLITE_OK
  }

  private static let jsonFunctions: Set = [
    "json", "json_array", "json_array_length", "json_extract", "->", "->>", "json_insert", "json_object", "json_patch",
    "json_quote", "json_remove", "json_replace", "json_set", "json_type", "json_valid", "json_group_array",
    "json_group_object",
  ]
}
