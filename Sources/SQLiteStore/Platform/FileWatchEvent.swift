/// What ended the wait for a file to be written to.
enum FileWatchEvent {
  /// It was.
  case written
  /// The time was up.
  case nothing
  /// Nobody wants to know any more.
  case cancelled
}
