import DataSourcesTestSupport
import FetchedResultsSupport
import TestSupport

/// A proxy that cuts, delays, splits and repeats what a feed's server sends, at random, until it is told to be calm.
package final class ChaosProxy: Sendable {
  package struct Habits: OptionSet, Sendable {
    package let rawValue: Int
    package init(rawValue: Int) { self.rawValue = rawValue }
    /// Connections end after any number of bytes, and some at once.
    package static let cuts = Habits(rawValue: 1)
    /// Some parts come late.
    package static let delays = Habits(rawValue: 2)
    /// Parts are as small as a byte.
    package static let splits = Habits(rawValue: 4)
    /// An event comes twice.
    package static let repeats = Habits(rawValue: 8)
    /// An answer is that of an earlier request, as that of a wrong cache.
    package static let replays = Habits(rawValue: 16)
    package static let all: Habits = [.cuts, .delays, .splits, .repeats, .replays]
  }

  private struct State: Sendable {
    package var random: SeededGenerator
    package var isCalm = false
    /// The beginning of some earlier answer.
    package var earlier: [UInt8] = []
  }

  private let state: Locked<State>
  private let listener: Listener

  package init(to server: UInt16, _ habits: Habits, seed: UInt64) {
    let state = Locked(State(random: SeededGenerator(seed: seed)))
    self.state = state
    listener = Listener { client in Self.relay(client, to: server, habits, state) }
  }

  deinit { listener.stop() }

  package var port: UInt16 { listener.port }

  /// Passes on everything from now on, and cuts what is open.
  package func calm() {
    state.withLock { $0.isCalm = true }
    listener.cut()
  }

  package func cut() { listener.cut() }

  private static func relay(_ client: Socket, to server: UInt16, _ habits: Habits, _ state: Locked<State>) {
    var (random, isCalm) = state.withLock { state in
      (SeededGenerator(seed: state.random.next()), state.isCalm)
    }
    let habits = isCalm ? [] : habits
    guard let request = client.readHead()?.head, let origin = Socket.connected(to: server) else { return }
    var rest = habits.contains(.cuts) && !random.once(in: 3) ? random.below(random.pick(1, 200, 3000)) : Int.max
    if rest == 0 { return }
    func send(_ bytes: ArraySlice<UInt8>) -> Bool {
      var bytes = bytes
      while !bytes.isEmpty {
        let isSmall = habits.contains(.splits) && !random.once(in: 4)
        let part = bytes.prefix(min(rest, isSmall ? 1 + random.below(random.pick(1, 7, 90)) : bytes.count))
        if habits.contains(.delays), random.once(in: 6) { MonotonicClock.sleep(microseconds: random.below(4000)) }
        guard client.write(part) else { return false }
        rest -= part.count
        if rest <= 0 { return false }
        bytes = bytes.dropFirst(part.count)
      }
      return true
    }
    if habits.contains(.replays), random.once(in: 4) {
      let earlier = state.withLock { $0.earlier }
      if !earlier.isEmpty {
        _ = send(earlier[...])
        return
      }
    }
    guard origin.write((request + "\r\n\r\n").utf8) else { return }
    var sent: [UInt8] = []
    while true {
      if client.isReadable(within: 0) { return }
      guard origin.isReadable(within: 20) else { continue }
      guard let bytes = origin.read(), send(bytes[...]) else { return }
      if sent.count < 20_000 { sent += bytes }
      if random.once(in: 3) { state.withLock { [sent] in $0.earlier = sent } }
      if habits.contains(.repeats), random.once(in: 3), let event = lastEvent(sent), !send(event) { return }
    }
  }

  /// The last event of what was sent, if that ends with one.
  private static func lastEvent(_ sent: [UInt8]) -> ArraySlice<UInt8>? {
    guard sent.suffix(2).elementsEqual("\n\n".utf8) else { return nil }
    let start = sent.indices.dropLast(2).last { sent[$0...].starts(with: "\n\n".utf8) }
    return start.map { sent[($0 + 2)...] }
  }
}
