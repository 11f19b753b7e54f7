import DataSources
import FetchedResultsSupport

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// What reads a feed for a ``RemoteDataSource``: one connection after another.
final class RemoteSession<Item: Decodable & Sendable>: Sendable {
  private typealias Ending = Reconnection.Ending

  private struct State: Sendable {
    var feed = FeedState.connecting
    var window = (first: 0, total: 0)
    /// When the list was last known to be that of the service; at first, when reading began.
    var current = Date()
    var stateReaders: [Int: AsyncStream<FeedState>.Continuation] = [:]
    /// The callers of `reload`, and the number of the reload that each waits for.
    var reloads: [Int: CheckedContinuation<Void, any Error>] = [:]
    var lastNumber = 0
    /// The attempt that is running, and whether the next one should begin at once.
    var attempt: Task<Void, Never>?
    var isRestarted = false
    var isFinished = false
  }

  var list: UpdateBroadcaster<Item> { shown.broadcaster }
  private let shown = ShownList<Item>()
  private let transport: any FeedTransport
  private let options: RemoteOptions
  private let shared = Locked(State())

  init(_ transport: any FeedTransport, _ options: RemoteOptions) {
    (self.transport, self.options) = (transport, options)
  }

  // MARK: What others read and ask for

  var state: FeedState { shared.withLock { $0.feed } }
  var window: (first: Int, total: Int) { shared.withLock { $0.window } }

  func states() -> AsyncStream<FeedState> {
    let (states, reader) = AsyncStream.makeStream(of: FeedState.self, bufferingPolicy: .bufferingNewest(1))
    let number = shared.withLock { state -> Int? in
      reader.yield(state.feed)
      if state.isFinished { return nil }
      state.lastNumber += 1
      state.stateReaders[state.lastNumber] = reader
      return state.lastNumber
    }
    guard let number else {
      reader.finish()
      return states
    }
    reader.onTermination = { [weak self] _ in self?.shared.withLock { _ = $0.stateReaders.removeValue(forKey: number) }
    }
    return states
  }

  func reload() async throws {
    let number = shared.withLock { state in
      state.lastNumber += 1
      return state.lastNumber
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let (isFinished, attempt) = shared.withLock { state in
          if state.isFinished || Task.isCancelled { return (true, nil as Task<Void, Never>?) }
          state.reloads[number] = continuation
          state.isRestarted = true
          return (false, state.attempt)
        }
        if isFinished { continuation.resume(throwing: CancellationError()) }
        attempt?.cancel()
      }
    } onCancel: {
      shared.withLock { $0.reloads.removeValue(forKey: number) }?.resume(throwing: CancellationError())
    }
  }

  func reconnect() {
    shared.withLock { state -> Task<Void, Never>? in
      if state.feed == .live { return nil }
      state.isRestarted = true
      return state.attempt
    }?.cancel()
  }

  func finish() {
    let (attempt, readers, reloads) = shared.withLock { state in
      state.isFinished = true
      defer { (state.stateReaders, state.reloads) = ([:], [:]) }
      return (state.attempt, Array(state.stateReaders.values), Array(state.reloads.values))
    }
    attempt?.cancel()
    for reader in readers { reader.finish() }
    for reload in reloads { reload.resume(throwing: CancellationError()) }
    list.finish()
  }

  private func become(_ new: FeedState) {
    shared.withLock { state in
      if new == state.feed { return }
      state.feed = new
      for reader in state.stateReaders.values { reader.yield(new) }
    }
  }

  // MARK: Editing

  /// Shows an edit, and sends it. Takes it back if the service refuses it.
  func edit<Edits: Encodable>(_ edits: Edits, _ apply: @escaping @Sendable (inout Draft<Item>) -> Void) async throws {
    let body = Array(try options.encoder().encode(edits))
    let number = await shown.add(apply)
    do {
      let answer = try await answer(to: body)
      // The service has done it, so from here on nothing may say that it has not.
      let place = (try? options.decoder().decode(EditAnswer.self, from: Data(answer))).flatMap { FeedToken($0.next) }
      if let place, await shown.keep(number, until: place) { return }
      try? await reload()
      await shown.remove(number)
    } catch {
      await shown.remove(number)
      throw error
    }
  }

  private func answer(to edit: [UInt8]) async throws -> [UInt8] {
    try await withThrowingTaskGroup(of: [UInt8].self) { [transport, options] group in
      group.addTask { try await transport.send(edit) }
      group.addTask {
        try await options.clock.sleep(for: options.patience)
        throw FeedError("the service has not answered for \(options.patience.components.seconds) seconds")
      }
      defer { group.cancelAll() }
      return try await group.next() ?? []
    }
  }

  // MARK: Reading

  /// What attempts hand from one to the next.
  private struct Progress: Sendable {
    var decoder: FrameDecoder<Item>
    var reconnection: Reconnection
    /// The pause before the next attempt; nil after an error that is final.
    var pause: Duration? = .zero
    /// The reloads for which a new snapshot has been asked for.
    var reloads: Set<Int> = []
  }

  func run() async {
    let progress = Locked(Progress(decoder: FrameDecoder(options), reconnection: Reconnection(options)))
    while !Task.isCancelled {
      let attempt = shared.withLock { state -> Task<Void, Never>? in
        if state.isFinished { return nil }
        let (isRestart, reloads) = (state.isRestarted, Set(state.reloads.keys))
        state.isRestarted = false
        let task = Task {
          let next = await self.attempt(progress.withLock { $0 }, isRestart, reloads)
          progress.withLock { $0 = next }
        }
        state.attempt = task
        return task
      }
      guard let attempt else { return }
      await attempt.value
    }
  }

  private func attempt(_ start: Progress, _ isRestart: Bool, _ reloads: Set<Int>) async -> Progress {
    var progress = start
    if isRestart { progress.pause = .zero }
    // A snapshot may need several answers, if it is polled.
    if !reloads.isSubset(of: start.reloads) { progress.decoder.forget(isWrong: false) }
    progress.reloads = reloads
    do {
      if let pause = progress.pause {
        if pause > .zero { try await options.clock.sleep(for: pause) }
      } else {
        while true { try await Task.sleep(for: .seconds(3600)) }
      }
    } catch {
      return progress
    }
    if start.pause == nil { become(.connecting) }
    // The first poll doesn't wait, so that it says at once whether the service answers.
    let wait = progress.reconnection.polls ? state == .live ? options.pollingTime : .zero : nil
    let request = FeedRequest(after: progress.decoder.token, wait: wait)
    var (decoder, connection, ending) = await connect(progress.decoder, request, reloads)
    if case .failed(let error) = ending, error.isFinal {
      (progress.decoder, progress.pause) = (decoder, nil)
      become(.failed(reason: error.reason))
      end(reloads, throwing: error)
      return progress
    }
    progress.pause = progress.reconnection.pause(after: connection, ending)
    if case .wrong = ending { decoder.forget(isWrong: true) }
    progress.decoder = decoder
    switch ending {
    case .interrupted: break
    case .closed where wait != nil: break
    case .closed: lose("the service has closed the connection", reloads)
    case .failed(let error): lose(error.reason, reloads)
    case .silent: lose("nothing has come for too long", reloads)
    case .wrong(let reason): lose(reason, reloads)
    }
    return progress
  }

  private func lose(_ reason: String, _ reloads: Set<Int>) {
    become(.stale(since: shared.withLock { $0.current }, reason: reason))
    end(reloads, throwing: FeedError(reason))
  }

  private func end(_ reloads: Set<Int>, throwing error: FeedError?) {
    for reload in shared.withLock({ state in reloads.compactMap { state.reloads.removeValue(forKey: $0) } }) {
      if let error { reload.resume(throwing: error) } else { reload.resume() }
    }
  }

  // MARK: One connection

  private typealias Connected = (FrameDecoder<Item>, Reconnection.Connection, Ending)

  /// Reads an answer until it ends, or until nothing has come for too long.
  private func connect(_ decoder: FrameDecoder<Item>, _ request: FeedRequest, _ reloads: Set<Int>) async -> Connected {
    let time = options.clock.stopwatch()
    let heard = Locked<Duration?>(nil)
    return await withTaskGroup(of: Connected?.self) { group in
      group.addTask { await self.read(decoder, request, reloads, time, heard) }
      group.addTask {
        await self.watch(time, heard, isPoll: request.wait != nil)
        return nil
      }
      var isSilent = false
      while let result = await group.next() {
        if var result {
          group.cancelAll()
          if isSilent { result.2 = .silent }
          return result
        }
        isSilent = !Task.isCancelled
        group.cancelAll()
      }
      fatalError("a connection has ended without a result")
    }
  }

  /// Returns when nothing has come for too long.
  private func watch(_ time: @Sendable () -> Duration, _ heard: Locked<Duration?>, isPoll: Bool) async {
    while !Task.isCancelled {
      let last = heard.withLock { $0 }
      let limit =
        last == nil && isPoll
        ? options.patience + options.pollingTime : last == nil ? options.patience : options.silence
      let rest = limit - (time() - (last ?? .zero))
      if rest <= .zero { return }
      try? await options.clock.sleep(for: rest)
    }
  }

  private func read(
    _ start: FrameDecoder<Item>, _ request: FeedRequest, _ reloads: Set<Int>, _ time: @Sendable () -> Duration,
    _ heard: Locked<Duration?>
  ) async -> Connected {
    var decoder = start
    var connection = Reconnection.Connection(isPoll: request.wait != nil, lasted: .zero)
    var ending = Ending.closed
    do {
      let answer = try await transport.open(request)
      connection.opened = time()
      try await read(answer, &decoder, &connection, reloads, time, heard)
      // The answer to a poll may be empty: then there is nothing new.
      if request.wait != nil { becomeLive(decoder, reloads) }
    } catch let error as WrongFrame {
      ending = error.isFinal ? .failed(FeedError(error.reason, isFinal: true)) : .wrong(reason: error.reason)
    } catch let error as FeedError {
      ending = .failed(error)
    } catch {
      ending = .failed(FeedError("\(error)"))
    }
    if Task.isCancelled { ending = .interrupted }
    (connection.lasted, connection.isProgress) = (time(), decoder.token != start.token)
    return (decoder, connection, ending)
  }

  private func read(
    _ answer: some AsyncSequence<[UInt8], any Error>, _ decoder: inout FrameDecoder<Item>,
    _ connection: inout Reconnection.Connection, _ reloads: Set<Int>, _ time: () -> Duration, _ heard: Locked<Duration?>
  ) async throws {
    var lines = FeedLines(limit: options.largestFrame)
    for try await bytes in answer {
      try Task.checkCancellation()
      heard.withLock { [now = time()] in $0 = now }
      connection.isHeard = true
      var isEnd = false
      do {
        for line in try lines.take(bytes) {
          guard case .frame(let json) = line, !isEnd else {
            isEnd = true
            continue
          }
          try decoder.take(json)
        }
      } catch let error as FeedError {
        throw WrongFrame(reason: error.reason, isFinal: error.isFinal)
      } catch let error as UndecodableRow {
        throw WrongFrame(reason: error.description, isFinal: decoder.undecodable > 1)
      } catch {
        throw WrongFrame(reason: "\(error)", isFinal: false)
      }
      decoder = await shown.show(decoder)
      becomeLive(decoder, reloads)
      if isEnd { return }
    }
  }

  private func becomeLive(_ decoder: FrameDecoder<Item>, _ reloads: Set<Int>) {
    shared.withLock { ($0.current, $0.window) = (Date(), decoder.window) }
    guard decoder.isCurrent else { return }
    become(.live)
    end(reloads, throwing: nil)
  }
}

private struct EditAnswer: Decodable {
  var next: String
}

private struct WrongFrame: Error {
  let reason: String
  let isFinal: Bool
}

extension Clock where Duration == Swift.Duration {
  /// A function that returns the time since this call.
  fileprivate func stopwatch() -> @Sendable () -> Duration {
    let start = now
    return { start.duration(to: now) }
  }
}
