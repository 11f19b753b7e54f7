/// What an error says about trying again.
package enum ErrorKind: Sendable {
  /// Somebody else is using the database just now. It is not reported, and waiters keep waiting.
  case busy
  /// The cause may pass by itself, as when a disk is full.
  case passing
  /// The cause may pass or not. A list that is followed is read again later; a new request only if rows change.
  case unclear
  /// The cause stays until something is committed or changed, as when a row can't be read.
  case lasting
  /// The database was closed: nothing will ever be read again.
  case final

  /// Whether the cause may well pass without a commit.
  package var isPassing: Bool { self == .busy || self == .passing }
}
