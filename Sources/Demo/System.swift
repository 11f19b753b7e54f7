import FetchedResultsSupport
import SQLiteStore

/// A folder for the demonstration's database, removed at the end.
struct DemoFolder {
  private let root: String

  init() throws {
    var template = Array("/tmp/fetchedresults-demo-XXXXXX".utf8CString)
    guard let made = mkdtemp(&template) else {
      throw DatabaseError(code: .cantOpen, message: "no temporary folder can be made in /tmp")
    }
    root = String(cString: made)
  }

  func path(_ name: String) -> String { "\(root)/\(name)" }

  func remove() {
    for name in ["todo.db", "todo.db-wal", "todo.db-shm"] { unlink(path(name)) }
    rmdir(root)
  }
}

/// Runs this program again as the other program, and waits for it.
func startOtherProgram(path: String) throws {
  #if os(Linux)
    let executable = "/proc/self/exe"
  #else
    let executable = CommandLine.arguments[0]
  #endif
  var words: [UnsafeMutablePointer<CChar>?] = []
  for word in [executable, "--other-program", path] { words.append(strdup(word)) }
  words.append(nil)
  defer { for word in words { free(word) } }
  var id: pid_t = 0
  var status: Int32 = 0
  guard posix_spawn(&id, executable, nil, nil, words, environ) == 0, waitpid(id, &status, 0) == id, status == 0 else {
    throw DatabaseError(code: .error, message: "the other program could not be run")
  }
}

func exitDemo(_ status: Int32) -> Never { exit(status) }
