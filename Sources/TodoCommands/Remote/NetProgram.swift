import FetchedResultsSupport
import TodoCore

/// The program todo-net, which has the network that this one is without.
enum NetProgram {
  /// Runs it in the place of this program. It is beside this one, or on PATH.
  static func become(_ arguments: [String]) throws(TodoError) -> Never {
    var words: [UnsafeMutablePointer<CChar>?] = (["todo-net"] + arguments).map { strdup($0) } + [nil]
    if let path = System.sibling("todo-net") { execv(path, &words) } else { execvp("todo-net", &words) }
    let reason = errno == ENOENT ? "is not there" : "can't be run (\(String(cString: strerror(errno)).lowercased()))"
    throw .inputOutput(
      "this needs the program todo-net beside todo, which \(reason); install it with: Scripts/install --net")
  }
}
