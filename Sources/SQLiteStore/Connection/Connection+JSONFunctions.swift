import CFetchedResultsSQLite

extension Connection {
  /// Makes SQLite accept its own JSON functions in the schema, if it has just refused one. Returns whether what failed
  /// may succeed now.
  ///
  /// SQLite 3.38 to 3.40 count them by mistake among the functions that a schema may call only if it is trusted (see
  /// `Database.Options.trustsSchema`), although JSON in generated columns, CHECKs and indices is common. So a connection
  /// whose schema calls one trusts it. Functions of the program and of extensions that can do harm stay refused.
  package func acceptsJSONFunctions(after code: Int32) -> Bool {
    guard code != SQLITE_OK, !hasAcceptedJSONFunctions, sqlite3_libversion_number() < 3_041_000,
      let message = sqlite3_errmsg(handle).map({ String(cString: $0) }),
      let words = message.firstRange(of: "unsafe use of ")
    else { return false }
    let name = message[words.upperBound...].prefix { $0 != "(" }
    guard Self.jsonFunctions.contains(name.lowercased()) else { return false }
    hasAcceptedJSONFunctions = true
    return frc_db_config(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 1) == SQLITE_OK
  }

  private static let jsonFunctions: Set = [
    "json", "json_array", "json_array_length", "json_extract", "->", "->>", "json_insert", "json_object", "json_patch",
    "json_quote", "json_remove", "json_replace", "json_set", "json_type", "json_valid", "json_group_array",
    "json_group_object",
  ]
}
