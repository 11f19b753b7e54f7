/// An error in one sentence for the user, with its exit code.
///
/// Typed words are quoted unchanged; the code that shows the message makes it safe
/// (``DataSources/Swift/String/displayable``).
public enum TodoError: Error, Hashable, Sendable {
  /// An error of no other kind.
  case failure(String)
  /// There is no such item, or no such list.
  case noSuchItem(String)
  /// It exists already, or something prevents it.
  case conflict(String)
  /// The command is wrong.
  case usage(String)
  /// The data is wrong: a damaged or foreign database, a malformed file.
  case badData(String)
  /// The file system refuses the operation.
  case inputOutput(String)
  /// Another process held the database for too long.
  case busy(String)

  /// The exit code of the program.
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

  /// One sentence, with advice if there is any.
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
