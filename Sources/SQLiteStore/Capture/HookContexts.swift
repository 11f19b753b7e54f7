import FetchedResultsSupport
import Synchronization

/// Finds the context of a connection by its SQLite handle, inside a hook.
///
/// The preupdate hook has an argument for that, but a session (`sqlite3session_create`) that replaces the hook would
/// treat our argument as another session. So the hook is set without one.
enum HookContexts {
  /// The maximum number of connections with a hook at one time.
  static let capacity = 1 << 12

  private struct Place: ~Copyable {
    let handle = Atomic<UInt>(0)
    let context = Atomic<UInt>(0)
  }

  private static let removed: UInt = 1
  private static let lock = Lock()
  // because every access is under `lock`
  nonisolated(unsafe) private static var used = 0
  // because it is allocated once, and its places are atomic
  nonisolated(unsafe) private static let places: UnsafeMutablePointer<Place> = {
    let places = UnsafeMutablePointer<Place>.allocate(capacity: capacity * 2)
    for index in 0..<capacity * 2 { (places + index).initialize(to: Place()) }
    return places
  }()

  @inline(__always)
  private static func start(_ handle: UInt) -> Int {
    Int(truncatingIfNeeded: (UInt64(handle) &* 0x9E37_79B9_7F4A_7C15) >> 40) & (capacity * 2 - 1)
  }

  /// The context of a handle. It takes no lock: only the thread that uses the connection calls it.
  @inline(__always)
  static func context(of handle: OpaquePointer) -> UnsafeMutableRawPointer? {
    let wanted = UInt(bitPattern: handle)
    var index = start(wanted)
    while true {
      let found = places[index].handle.load(ordering: .acquiring)
      if found == wanted {
        return UnsafeMutableRawPointer(bitPattern: places[index].context.load(ordering: .relaxed))
      }
      if found == 0 { return nil }
      index = (index + 1) & (capacity * 2 - 1)
    }
  }

  /// Adds the context of a handle; returns false if there is no room.
  static func add(_ context: UnsafeMutableRawPointer, for handle: OpaquePointer) -> Bool {
    lock.withLock {
      guard used < capacity else { return false }
      used += 1
      var index = start(UInt(bitPattern: handle))
      while places[index].handle.load(ordering: .relaxed) > removed { index = (index + 1) & (capacity * 2 - 1) }
      places[index].context.store(UInt(bitPattern: context), ordering: .relaxed)
      places[index].handle.store(UInt(bitPattern: handle), ordering: .releasing)
      return true
    }
  }

  /// Removes the context of a handle.
  static func remove(_ handle: OpaquePointer) {
    lock.withLock {
      let mask = capacity * 2 - 1
      var index = start(UInt(bitPattern: handle))
      while places[index].handle.load(ordering: .relaxed) != UInt(bitPattern: handle) {
        if places[index].handle.load(ordering: .relaxed) == 0 { return }
        index = (index + 1) & mask
      }
      used -= 1
      places[index].handle.store(removed, ordering: .releasing)
      // If the next place is free, the places up to here are free again, so that a search always ends.
      guard places[(index + 1) & mask].handle.load(ordering: .relaxed) == 0 else { return }
      while places[index].handle.load(ordering: .relaxed) == removed {
        places[index].handle.store(0, ordering: .releasing)
        index = (index - 1) & mask
      }
    }
  }
}
