import CFetchedResultsSQLite

/// Refuses what a user's statement must not do on a connection that others use later: change a setting, attach a file,
/// or touch the capture's temporary triggers and table.
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
  // The table that the statement drops. Its triggers may be dropped with it.
  private var droppedTable: String?

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
      { context, action, first, second, _, inside in
        guard let context, StatementGuard.concerns(action) else { return SQLITE_OK }
        let guardian = Unmanaged<StatementGuard>.fromOpaque(context).takeUnretainedValue()
        if guardian.author == .library { return SQLITE_OK }
        func text(_ bytes: UnsafePointer<CChar>?) -> String? { bytes.map { String(cString: $0).asciiLowercased } }
        return guardian.allows(action, text(first), text(second), inside: text(inside)) ? SQLITE_OK : SQLITE_DENY
      }, Unmanaged.passUnretained(self).toOpaque())
  }

  /// Forgets what was seen in the previous statement.
  func statementBegins() {
    refusal = nil
    droppedTable = nil
  }

  /// Returns why a statement was refused, once.
  func takeRefusal() -> String? {
    defer { refusal = nil }
    return refusal
  }

  /// Most questions of SQLite need no check of names.
  private static func concerns(_ action: Int32) -> Bool {
    switch action {
    case SQLITE_PRAGMA, SQLITE_ATTACH, SQLITE_DETACH, SQLITE_INSERT, SQLITE_UPDATE, SQLITE_DELETE, SQLITE_DROP_TABLE,
      SQLITE_DROP_TEMP_TABLE, SQLITE_DROP_TEMP_TRIGGER, SQLITE_ALTER_TABLE:
      true
    default: false
    }
  }

  private func allows(_ action: Int32, _ first: String?, _ second: String?, inside: String?) -> Bool {
    var refusal: String?
    switch action {
    case SQLITE_PRAGMA: refusal = first.flatMap { refusalOfSetting($0, second) }
    case SQLITE_ATTACH:
      refusal = "a file is attached to every connection, by Database.attach(_:as:)"
    case SQLITE_DETACH:
      refusal = "a file is detached from every connection, by Database.detach(_:)"
    case SQLITE_DROP_TABLE: droppedTable = first
    case SQLITE_DROP_TEMP_TRIGGER:
      if first?.hasPrefix(TriggerCapture.prefix) == true, second != droppedTable { refusal = Self.ownObject }
    case SQLITE_DROP_TEMP_TABLE where first != TriggerCapture.log: droppedTable = first
    case SQLITE_INSERT, SQLITE_UPDATE, SQLITE_DELETE, SQLITE_DROP_TEMP_TABLE:
      let isOurs = inside?.hasPrefix(TriggerCapture.prefix) == true
      if first == TriggerCapture.log, !isOurs { refusal = Self.ownObject }
    case SQLITE_ALTER_TABLE: if second == TriggerCapture.log { refusal = Self.ownObject }
    default: break
    }
    if let refusal { self.refusal = refusal }
    return refusal == nil
  }

  private static let ownObject =
    "what begins with \(TriggerCapture.prefix) is how observers learn of changes; it goes by itself when nobody observes"

  private func refusalOfSetting(_ name: String, _ value: String?) -> String? {
    guard let value, !Self.harmless.contains(name), allowed[name]?.contains(value) != true else { return nil }
    if author == .userOfHandle, name != "recursive_triggers" { return nil }
    let advice = Self.advice[name] ?? "leave it as it is"
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

  /// What to do instead of changing a setting in SQL.
  private static let advice: [String: String] = {
    let option = { (name: String) in "set Database.Options.\(name)" }
    return [
      "busy_timeout": option("busyTimeout"), "cache_size": option("pageCacheBytes"), "journal_mode": option("journal"),
      "synchronous": option("durability"), "trusted_schema": option("trustsSchema"),
      "query_only": "use read { } for what must not write",
      "foreign_keys": "foreign keys are always enforced, and migrations are checked at their end",
      "recursive_triggers": "without it nobody would learn which rows REPLACE removes",
      "ignore_check_constraints":
        "later writes would store what a CHECK forbids; create the table again without the CHECK",
      "case_sensitive_like": "use GLOB, which distinguishes upper and lower case",
      "wal_autocheckpoint": "the log is moved into the file by itself, or by Database.checkpoint()",
      "page_size": "it would change the file at the next vacuum(); set it through withUnsafeHandle just before",
      "auto_vacuum": "it would change the file at the next vacuum(); set it through withUnsafeHandle just before",
      "analysis_limit": "call Connection.withUnsafeHandle for it, or run ANALYZE without a limit",
    ]
  }()
}
