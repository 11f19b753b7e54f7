// The system's C library, for all modules: no other file of the libraries and programs says which one it is.
#if canImport(Glibc)
  @_exported public import Glibc
#elseif canImport(Musl)
  @_exported public import Musl
#else
  @_exported public import Darwin
#endif

/// What is named differently in the C libraries, and functions for code whose own methods have the names of theirs.
///
/// What is said for Darwin and Musl has not been compiled on those systems.
package enum CLibrary {
  /// A function that handles a signal, or `SIG_DFL` or `SIG_IGN`.
  #if canImport(Darwin)
    package typealias SignalHandler = (@convention(c) (Int32) -> Void)?
  #else
    package typealias SignalHandler = __sighandler_t?
  #endif

  package static func exit(_ status: Int32) -> Never { callExit(status) }

  /// read(2), which a signal may interrupt.
  package static func read(_ descriptor: Int32, _ buffer: UnsafeMutableRawBufferPointer) -> Int {
    callRead(descriptor, buffer.baseAddress, buffer.count)
  }

  /// write(2), which a signal may interrupt.
  package static func write(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    callWrite(descriptor, bytes.baseAddress, bytes.count)
  }

  /// Whether a file can grow to a size, as far as the system says: it knows the free space and the limit of this
  /// process, and not everything, such as a quota.
  package static func hasRoom(toExtend path: String, from size: UInt64, to newSize: UInt64) -> Bool {
    var limit = rlimit()
    #if canImport(Glibc)
      let hasLimit = getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0
    #else
      let hasLimit = getrlimit(RLIMIT_FSIZE, &limit) == 0
    #endif
    if hasLimit, UInt64(limit.rlim_cur) < newSize { return false }
    var space = statvfs()
    guard statvfs(path, &space) == 0 else { return true }
    let free = UInt64(geteuid() == 0 ? space.f_bfree : space.f_bavail)
    return free * UInt64(space.f_frsize) >= newSize - size
  }

  /// The handler of a signal.
  package static func handler(of action: sigaction) -> SignalHandler {
    #if canImport(Darwin)
      action.__sigaction_u.__sa_handler
    #elseif canImport(Musl)
      action.__sa_handler.sa_handler
    #else
      action.__sigaction_handler.sa_handler
    #endif
  }

  /// Sets how a signal is handled.
  ///
  /// - Parameter flags: Those of `sigaction`, such as `SA_RESTART`.
  package static func handle(_ signal: Int32, flags: Int32 = 0, _ handler: SignalHandler) {
    var action = sigaction()
    #if canImport(Darwin)
      action.__sigaction_u.__sa_handler = handler
    #elseif canImport(Musl)
      action.__sa_handler.sa_handler = handler
    #else
      action.__sigaction_handler.sa_handler = handler
    #endif
    sigemptyset(&action.sa_mask)
    action.sa_flags = flags
    sigaction(signal, &action, nil)
  }

  /// When a file was last written.
  package static func modificationTime(of status: stat) -> timespec {
    #if canImport(Darwin)
      status.st_mtimespec
    #else
      status.st_mtim
    #endif
  }
}

// Outside the type, where the names are those of the C library.
private func callExit(_ status: Int32) -> Never { exit(status) }

private func callRead(_ descriptor: Int32, _ buffer: UnsafeMutableRawPointer?, _ count: Int) -> Int {
  read(descriptor, buffer, count)
}

private func callWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
  write(descriptor, bytes, count)
}
