import CFetchedResultsSQLite

/// Refuses what a user's statement must not do on a connection that others use later: change a setting, or attach a
/// file.
///
/// SQLite asks when it compiles a statement, and again when it recompiles one because the schema has changed.
final class StatementGuard {
  /// The author of the statements that are compiled now.
  enum Author {
    /// The user's, in SQL.
    case user
    /// The user's, through SQLite's own handle: they may change settings, except the one that the capture needs.
    case userOfHandle
    /// The library's.
    case library
  }

  var author = Author.user
  /// Values of settings that change nothing, and that scripts often begin with.
  private let allowed: [String: Set<String>]
  private var refusal: String?

  init(_ options: Database.Options) {
    let on: Set = ["1", "on", "true", "yes"]
    allowed = [
      "foreign_keys": on, "recursive_triggers": on, "journal_mode": [options.journal.rawValue.lowercased()],
    ]
  }

  /// Registers this guard with SQLite; it must live as long as the connection does.
  func install(on handle: OpaquePointer) {
    sqlite3_set_authorizer(
      handle,
      { context, action, first, second, _, _ in
        guard let context, [SQLITE_PRAGMA, SQLITE_ATTACH, SQLITE_DETACH].contains(action) else { return SQLITE_OK }
        let guardian = Unmanaged<StatementGuard>.fromOpaque(context).takeUnretainedValue()
        func text(_ bytes: UnsafePointer<CChar>?) -> String? { bytes.map { String(cString: $0).asciiLowercased } }
        return guardian.allows(action, text(first), text(second)) ? SQLITE_OK : SQLITE_DENY
      }, Unmanaged.passUnretained(self).toOpaque())
  }

  /// Forgets what was seen in the previous statement.
  func statementBegins() { refusal = nil }

  /// Returns why a statement was refused, once.
  func takeRefusal() -> String? {
    defer { refusal = nil }
    return refusal
  }

  private func allows(_ action: Int32, _ first: String?, _ second: String?) -> Bool {
    if author == .library { return true }
    let refusal =
      switch action {
      case SQLITE_ATTACH: "a file is attached to every connection, by Database.attach(_:as:)" as String?
      case SQLITE_DETACH: "a file is detached from every connection, by Database.detach(_:)"
      default: first.flatMap { refusalOfSetting($0, second) }
      }
    if let refusal { self.refusal = refusal }
    return refusal == nil
  }

  private func refusalOfSetting(_ name: String, _ value: String?) -> String? {
    guard let value, !Self.harmless.contains(name), allowed[name]?.contains(value) != true else { return nil }
    if author == .userOfHandle, name != "recursive_triggers" { return nil }
    let advice =
      Self.options[name].map { "set Database.Options.\($0)" }
      ?? "leave it as it is, or set it through Connection.withUnsafeHandle"
    return "\(name) would stay changed after this read or write, on one connection of several; \(advice)"
  }

  /// The PRAGMAs with a value that change nothing on the connection: they ask, do some work once, end with the
  /// transaction, or change the file. All others are refused, also those that later versions of SQLite will have.
  private static let harmless: Set = [
    "application_id", "collation_list", "compile_options", "data_version", "database_list",
    "defer_foreign_keys", "encoding", "foreign_key_check", "foreign_key_list", "freelist_count", "function_list",
    "incremental_vacuum", "index_info", "index_list", "index_xinfo", "integrity_check", "module_list", "optimize",
    "page_count", "pragma_list", "quick_check", "schema_version", "shrink_memory", "stats", "table_info",
    "table_list", "table_xinfo", "user_version", "wal_checkpoint",
  ]

  /// The options that are there for a setting.
  private static let options = [
    "busy_timeout": "busyTimeout", "cache_size": "pageCacheBytes", "journal_mode": "journal",
    "synchronous": "durability", "trusted_schema": "trustsSchema",
  ]
}
