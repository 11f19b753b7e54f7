/// How a wait for a write ended.
enum FileWatchEvent {
  /// A file was written to.
  case written
  /// The time was up.
  case nothing
  /// The watch was cancelled.
  case cancelled
}
