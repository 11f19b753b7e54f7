import FetchedResultsSupport

/// A folder for a benchmark's files, which is deleted when it is released.
final class TemporaryFolder {
  private let root: String

  init() throws {
    var template = Array("\(getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp")/frc-bench-XXXXXX".utf8CString)
    guard let made = mkdtemp(&template) else { throw WrongResult("no temporary folder can be made") }
    root = String(cString: made)
  }

  deinit {
    if let folder = opendir(root) {
      while let entry = readdir(folder) {
        let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
          pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
        }
        if name != ".", name != ".." { unlink("\(root)/\(name)") }
      }
      closedir(folder)
    }
    rmdir(root)
  }

  func path(_ name: String) -> String { "\(root)/\(name)" }
}

/// Nanoseconds on the clock that all processes share.
func monotonicNanoseconds() -> UInt64 {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC, &time)
  return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}

/// For how many nanoseconds this thread has been ready to run without a processor. Only Linux reports it.
func processorWait() throws -> UInt64 {
  guard let file = fopen("/proc/thread-self/schedstat", "r") else {
    throw WrongResult("this system does not tell how long a thread waits for a processor")
  }
  defer { fclose(file) }
  var line = [CChar](repeating: 0, count: 128)
  guard fgets(&line, Int32(line.count), file) != nil else { throw WrongResult("schedstat is empty") }
  let numbers = line.prefix { $0 != 0 }.split(whereSeparator: { $0 == 0x20 || $0 == 0x0A })
  let words = numbers.map { String(decoding: $0.map(UInt8.init(bitPattern:)), as: UTF8.self) }
  guard words.count > 1, let wait = UInt64(words[1]) else { throw WrongResult("schedstat says \(words)") }
  return wait
}

/// This program as a child process, with other arguments.
struct ChildProcess {
  private let id: pid_t

  init(_ arguments: [String]) throws {
    #if os(Linux)
      let executable = "/proc/self/exe"
    #else
      let executable = CommandLine.arguments[0]
    #endif
    var words: [UnsafeMutablePointer<CChar>?] = ([executable] + arguments).map { strdup($0) }
    words.append(nil)
    defer { for word in words { free(word) } }
    var id: pid_t = 0
    guard posix_spawn(&id, executable, nil, nil, words, environ) == 0 else {
      throw WrongResult("another process can't be started")
    }
    self.id = id
  }

  func wait() -> Int32 {
    var status: Int32 = 0
    waitpid(id, &status, 0)
    return status
  }
}

/// A count that several threads add to.
final class Counter: @unchecked Sendable {  // because every access is under `mutex`
  private let mutex = Mutex()
  private var count = 0
  var value: Int { mutex.withLock { count } }
  func add(_ number: Int) { mutex.withLock { count += number } }
  func reset() { mutex.withLock { count = 0 } }
}

/// The time when each key was first received.
final class Arrivals: @unchecked Sendable {  // because every access is under `mutex`
  private let mutex = Mutex()
  private var times: [Int64: UInt64] = [:]

  func add(_ keys: [Int64], at time: UInt64) {
    mutex.withLock { for key in keys where times[key] == nil { times[key] = time } }
  }

  func time(of key: Int64) -> UInt64? { mutex.withLock { times[key] } }
}

/// A pthread mutex.
final class Mutex: @unchecked Sendable {  // because the mutex is made for that
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>

  init() {
    mutex = .allocate(capacity: 1)
    mutex.initialize(to: pthread_mutex_t())
    pthread_mutex_init(mutex, nil)
  }

  deinit {
    pthread_mutex_destroy(mutex)
    mutex.deallocate()
  }

  func withLock<T>(_ body: () throws -> T) rethrows -> T {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return try body()
  }
}

/// Writes a text into a new file.
func writeFile(_ text: String, to path: String) throws {
  guard let file = fopen(path, "w") else { throw WrongResult("\(path) can't be written") }
  let isWritten = fputs(text, file) >= 0
  guard fclose(file) == 0, isWritten else { throw WrongResult("\(path) can't be written") }
}
