/// What went wrong, in one sentence for the person who typed the command, and the exit code that goes with it.
///
/// Words that were typed are quoted as they are; who shows the message makes it harmless (``DataSources/Swift/String/displayable``).
public enum TodoError: Error, Hashable, Sendable {
  /// What has no kind of its own.
  case failure(String)
  /// There is no such item, or no such list.
  case noSuchItem(String)
  /// It is there already, or something stands in the way.
  case conflict(String)
  /// The command makes no sense.
  case usage(String)
  /// The data makes no sense: a damaged or foreign database, a malformed file.
  case badData(String)
  /// The file system refuses.
  case inputOutput(String)
  /// Somebody else holds the database for too long.
  case busy(String)

  /// What the program exits with.
  public var exitCode: Int32 {
    switch self {
    case .failure: 1
    case .noSuchItem: 3
    case .conflict: 4
    case .usage: 64
    case .badData: 65
    case .inputOutput: 74
    case .busy: 75
    }
  }

  /// One sentence, with what to do where that can be said.
  public var message: String {
    switch self {
    case .failure(let message), .noSuchItem(let message), .conflict(let message), .usage(let message),
      .badData(let message), .inputOutput(let message), .busy(let message):
      message
    }
  }
}

extension TodoError: CustomStringConvertible {
  /// The message.
  public var description: String { message }
}
