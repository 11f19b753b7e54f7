import FaultVFS
import Foundation
import SQLiteStore

/// How a call to the file system fails.
enum Fault: CaseIterable {
  case inputOutput, full, busy, short, torn

  /// The calls that can fail like this in a way of its own.
  var calls: Calls {
    switch self {
    case .inputOutput: .every
    case .full: [.write, .sharedMemory]
    case .busy: [.lock, .sharedMemory]
    case .short: [.write, .read]
    case .torn: .write
    }
  }

  fileprivate var number: Int32 {
    switch self {
    case .inputOutput: Int32(faultvfs_ioerr)
    case .full: Int32(faultvfs_full)
    case .busy: Int32(faultvfs_busy)
    case .short: Int32(faultvfs_short)
    case .torn: Int32(faultvfs_torn)
    }
  }
}

/// Calls to the file system.
struct Calls: OptionSet, Hashable {
  var rawValue: UInt32
  static let open = Calls(rawValue: UInt32(faultvfs_open))
  static let read = Calls(rawValue: UInt32(faultvfs_read))
  static let write = Calls(rawValue: UInt32(faultvfs_write))
  static let sync = Calls(rawValue: UInt32(faultvfs_sync))
  static let lock = Calls(rawValue: UInt32(faultvfs_lock))
  static let truncate = Calls(rawValue: UInt32(faultvfs_truncate))
  static let sharedMemory = Calls(rawValue: UInt32(faultvfs_shm))
  static let delete = Calls(rawValue: UInt32(faultvfs_delete))
  static let every = Calls(rawValue: UInt32(faultvfs_every))
}

/// A file system that fails and loses power on command.
final class FaultyFiles: Sendable {
  /// Its name, for `Options.vfs`.
  let name = "faulty-\(UUID().uuidString)"
  // because it is set once, and its functions are safe to call from any thread
  nonisolated(unsafe) private let vfs: OpaquePointer

  init() throws {
    guard let vfs = faultvfs_make(name) else { throw Unregistered() }
    self.vfs = vfs
  }

  struct Unregistered: Error {}

  deinit { faultvfs_free(vfs) }

  /// The options of a database in these files, with a short timeout.
  func options(_ journal: Database.Options.Journal, _ durability: Database.Options.Durability = .full)
    -> Database.Options
  {
    var options = Database.Options()
    options.vfs = name
    options.journal = journal
    options.durability = durability
    options.busyTimeout = .seconds(20)
    return options
  }

  /// Counts these calls from here on, and lets the nth and those after it fail, as many as `lasting` says.
  func arm(
    _ fault: Fault, at nth: Int64, lasting: Int64 = 1, of calls: Calls? = nil, suffix: String? = nil,
    readersOnly: Bool = false, seed: UInt64 = 0
  ) {
    let calls = calls ?? fault.calls
    faultvfs_arm(vfs, calls.rawValue, fault.number, nth, lasting, suffix, readersOnly ? 1 : 0, seed)
  }

  /// Counts these calls, all of which succeed.
  func count(_ calls: Calls) { faultvfs_arm(vfs, calls.rawValue, Int32(faultvfs_nothing), 0, 0, nil, 0, 0) }

  func disarm() { faultvfs_disarm(vfs) }

  var calls: Int64 { faultvfs_calls(vfs) }
  var fired: Int64 { faultvfs_fired(vfs) }
  var firedCall: Calls { Calls(rawValue: faultvfs_fired_call(vfs)) }

  /// Begins to record what is synced; power fails before the nth call that changes a file, or at `restore` at the
  /// latest.
  func losePower(at nth: Int64) { faultvfs_power(vfs, nth) }

  /// Makes power fail before the next call that changes a file.
  func losePowerNow() { faultvfs_power_now(vfs) }

  var powerCalls: Int64 { faultvfs_power_calls(vfs) }

  /// Makes the files what the disk has of them. No file may be open.
  func restore(seed: UInt64) { faultvfs_restore(vfs, seed) }
}
