#if Net
  import CFetchedResultsCurl
  import FetchedResultsSupport
  import LiveFeeds

  /// The thread that runs all transfers. It ends when there have been none for a while.
  final class CurlThread: Sendable {
    enum Command: Sendable {
      case add(CurlTransfer)
      case remove(CurlTransfer)
      /// The reader of a transfer has room again.
      case resume(CurlTransfer)
    }

    private struct State: Sendable {
      var commands: [Command] = []
      var isRunning = false
    }

    static let shared = CurlThread()

    // because curl_multi_wakeup may be called on any thread, and one thread at a time calls the other functions
    private nonisolated(unsafe) let multi: UnsafeMutableRawPointer?
    private let state = Locked(State())
    private static let patience: UInt64 = 30_000_000_000

    private init() {
      curl_global_init(Int(CURL_GLOBAL_DEFAULT))
      multi = curl_multi_init()
    }

    func perform(_ command: Command) {
      let starts = state.withLock { state in
        if case .add = command {} else if !state.isRunning { return false }
        state.commands.append(command)
        defer { state.isRunning = true }
        return !state.isRunning
      }
      guard let multi else { return fail() }
      if !starts {
        curl_multi_wakeup(multi)
      } else if !BackgroundThread.start({ [self] in run() }) {
        fail()
      }
    }

    /// Ends all transfers, because the system lacks what they need.
    private func fail() {
      let commands = state.withLock { state in
        defer { (state.commands, state.isRunning) = ([], false) }
        return state.commands
      }
      for case .add(let transfer) in commands { transfer.ended(Int32(CURLE_OUT_OF_MEMORY.rawValue)) }
    }

    private func run() {
      guard let multi else { return }
      var requests: [ObjectIdentifier: UnsafeMutableRawPointer] = [:]
      var end = MonotonicClock.now() + Self.patience
      func remove(_ transfer: CurlTransfer) {
        guard let request = requests.removeValue(forKey: ObjectIdentifier(transfer)) else { return }
        curl_multi_remove_handle(multi, request)
        transfer.release(request)
      }
      while true {
        let commands = state.withLock { state -> [Command]? in
          if state.commands.isEmpty, requests.isEmpty, MonotonicClock.now() >= end {
            state.isRunning = false
            return nil
          }
          defer { state.commands = [] }
          return state.commands
        }
        guard let commands else { return }
        for command in commands {
          switch command {
          case .add(let transfer):
            guard let request = transfer.makeRequest() else { continue }
            requests[ObjectIdentifier(transfer)] = request
            curl_multi_add_handle(multi, request)
          case .remove(let transfer): remove(transfer)
          case .resume(let transfer):
            if let request = requests[ObjectIdentifier(transfer)] { curl_easy_pause(request, CURLPAUSE_CONT) }
          }
        }
        var running: Int32 = 0
        curl_multi_perform(multi, &running)
        var (code, context) = (Int32(0), UnsafeMutableRawPointer?.none)
        while frc_curl_ended(multi, &code, &context) != nil {
          guard let context else { continue }
          let transfer = Unmanaged<CurlTransfer>.fromOpaque(context).takeUnretainedValue()
          transfer.ended(code)
          remove(transfer)
        }
        if !requests.isEmpty { end = MonotonicClock.now() + Self.patience }
        curl_multi_poll(multi, nil, 0, 1000, nil)
      }
    }
  }
#endif
