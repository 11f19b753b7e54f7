import DataSources
import FetchedResultsSupport

/// The frames of a list: the newest patches, and snapshots in pieces.
final class FeedLog<Item: Encodable & Sendable>: Sendable {
  private struct State: Sendable {
    /// The list after `version` updates, and how many rows the whole list has of which it is a window.
    var list: Snapshot<Item>
    var total: Int
    var version = 0
    /// The patches that are kept. The first one leads from the list of `start`.
    var patches: [Patched] = []
    var start = 0
    var bytes = 0
    /// The snapshots that readers may be reading, the newest last.
    var snapshots: [SnapshotPieces<Item>] = []
    /// Merged patches that lead to `version`, by where they begin.
    var merged: [Int: FeedFrame] = [:]
    var ending: FeedFrame?
    var failure: (any Error)?
    var hasEnded = false
    var handlers: [Int: @Sendable () -> Void] = [:]
    var nextHandler = 0
  }

  /// A patch, and the list that it begins with.
  private struct Patched: Sendable {
    var old: Snapshot<Item>
    var frame: FeedFrame
  }

  /// What to answer, found under the lock.
  private enum Answer: Sendable {
    case frames(FeedRead)
    case piece(SnapshotPieces<Item>, Int, isImmutable: Bool)
    case merge(Snapshot<Item>, from: Int, to: Snapshot<Item>, total: Int, version: Int)
  }

  let handle = String(UInt64.random(in: .min ... .max), radix: 36)
  private let window: Range<Int>?
  private let options: FeedOptions
  private let encoding: FrameEncoding
  private let state: Locked<State>

  init(_ list: Snapshot<Item>, window: Range<Int>?, _ options: FeedOptions) {
    (self.window, self.options, encoding) = (window, options, FrameEncoding(options))
    state = Locked(State(list: window.map { list.block($0) } ?? list, total: list.numberOfItems))
  }

  var failure: (any Error)? { state.withLock { $0.failure } }

  // MARK: Writing

  /// Appends an update. One task calls it.
  func append(_ update: Update<Item>) {
    let (list, total, version, hasEnded) = state.withLock { ($0.list, $0.total, $0.version, $0.hasEnded) }
    if hasEnded { return }
    let newTotal = update.new.numberOfItems
    let change: Update<Item>
    if let window {
      let block = update.new.block(window)
      let found = Update(from: list, to: block)
      if found == nil, newTotal == total { return }
      change = found ?? Update(old: list, new: block, changes: Changes())
    } else {
      change = update
    }
    // A change of most of the list is better read as a snapshot, which comes in pieces.
    let isPatch = change.changes.count <= max(1000, change.new.numberOfItems / 4)
    do {
      let frame = isPatch ? try frame(of: change, total: newTotal, version, version + 1) : nil
      let released = state.withLock { state in
        let before = (state.patches, state.list, state.snapshots)
        (state.list, state.total, state.version) = (change.new, newTotal, version + 1)
        state.merged = [:]
        if let frame {
          state.patches.append(Patched(old: change.old, frame: frame))
          state.bytes += frame.event.count
          trim(&state)
        } else {
          (state.patches, state.bytes, state.start) = ([], 0, version + 1)
        }
        return before
      }
      withExtendedLifetime(released) { tell() }
    } catch {
      fail(error)
    }
  }

  private func trim(_ state: inout State) {
    guard state.bytes > options.historyBytes else { return }
    var dropped = 0
    while state.bytes > options.historyBytes / 2, dropped < state.patches.count {
      state.bytes -= state.patches[dropped].frame.event.count
      dropped += 1
    }
    state.patches.removeFirst(dropped)
    state.start += dropped
  }

  private func frame(of update: Update<Item>, total: Int, _ from: Int, _ version: Int) throws -> FeedFrame {
    let (after, next) = (
      FeedToken(handle: handle, version: from).text, FeedToken(handle: handle, version: version).text
    )
    let head =
      "{\"after\":\"\(after)\",\"next\":\"\(next)\"" + (window == nil ? "" : ",\"total\":\(total)") + ",\"patch\":"
    return FeedFrame(next: next, [Array(head.utf8), try encoding.encode(update.patch), [UInt8(ascii: "}")]])
  }

  private func fail(_ error: any Error) {
    let problem = (try? encoding.encode("a row can't be encoded: \(error)")) ?? Array("\"a row can't be encoded\"".utf8)
    state.withLock { state in
      if state.hasEnded { return }
      let next = FeedToken(handle: handle, version: state.version).text
      state.ending = FeedFrame(next: next, [Array("{\"end\":".utf8), problem, [UInt8(ascii: "}")]])
      (state.failure, state.hasEnded) = (error, true)
    }
    tell()
  }

  func end() {
    state.withLock { $0.hasEnded = true }
    tell()
  }

  private func tell() {
    for handler in state.withLock({ Array($0.handlers.values) }) { handler() }
  }

  func observe(_ handler: @escaping @Sendable () -> Void) -> ObservationToken {
    let number = state.withLock { state in
      state.nextHandler += 1
      state.handlers[state.nextHandler] = handler
      return state.nextHandler
    }
    return ObservationToken { [weak self] in
      let removed = self?.state.withLock { $0.handlers.removeValue(forKey: number) }
      withExtendedLifetime(removed) {}
    }
  }

  // MARK: Reading

  func read(after text: String?) -> FeedRead {
    do {
      switch state.withLock({ answer(to: text.flatMap(FeedToken.init), &$0) }) {
      case .frames(let read): return read
      case .piece(let snapshot, let number, let isImmutable):
        guard let piece = try snapshot.piece(number) else { return read(after: nil) }
        return FeedRead(frames: [piece], isImmutable: isImmutable)
      case .merge(let old, let from, let new, let total, let version):
        guard let update = Update(from: old, to: new) else {
          let empty = Update(old: old, new: new, changes: Changes())
          return FeedRead(frames: [try frame(of: empty, total: total, from, version)])
        }
        guard update.changes.count <= max(1000, new.numberOfItems / 4) else { return read(after: nil) }
        let frame = try frame(of: update, total: total, from, version)
        state.withLock { if $0.version == version { $0.merged[from] = frame } }
        return FeedRead(frames: [frame], isImmutable: true)
      }
    } catch {
      fail(error)
      return read(after: text)
    }
  }

  private func answer(to token: FeedToken?, _ state: inout State) -> Answer {
    if state.hasEnded { return .frames(FeedRead(frames: state.ending.map { [$0] } ?? [], isEnd: true)) }
    guard let token, token.handle == handle else { return newReader(&state) }
    if let piece = token.piece {
      guard let snapshot = state.snapshots.last(where: { $0.version == token.version }) else {
        return newReader(&state)
      }
      return .piece(snapshot, piece, isImmutable: true)
    }
    if token.version == state.version { return .frames(FeedRead()) }
    guard token.version < state.version else { return newReader(&state) }
    if let merged = state.merged[token.version] { return .frames(FeedRead(frames: [merged], isImmutable: true)) }
    if token.version >= state.start {
      let missed = state.patches[(token.version - state.start)...]
      if missed.count <= 16 { return .frames(FeedRead(frames: missed.map(\.frame), isImmutable: true)) }
      return .merge(
        missed[missed.startIndex].old, from: token.version, to: state.list, total: state.total, version: state.version)
    }
    // Whoever has just read a snapshot has its list, however many patches were dropped meanwhile.
    guard let snapshot = state.snapshots.last(where: { $0.version == token.version }) else { return newReader(&state) }
    return .merge(
      snapshot.list, from: token.version, to: state.list, total: state.total, version: state.version)
  }

  /// The first piece of the newest snapshot, or of a new one if many patches have followed that.
  private func newReader(_ state: inout State) -> Answer {
    if let newest = state.snapshots.last, newest.version >= state.start {
      let bytes = state.patches[(newest.version - state.start)...].reduce(0) { $0 + $1.frame.event.count }
      if bytes <= options.historyBytes / 8 { return .piece(newest, 0, isImmutable: false) }
    }
    let made = SnapshotPieces(
      state.list, FeedToken(handle: handle, version: state.version), first: window?.lowerBound, total: state.total,
      encoding)
    state.snapshots.append(made)
    if state.snapshots.count > 2 { state.snapshots.removeFirst() }
    return .piece(made, 0, isImmutable: false)
  }
}

extension Snapshot {
  /// The rows of a block of the whole list, in their sections.
  func block(_ rows: Range<Int>) -> Snapshot {
    var sections: [Section<Item>] = []
    guard let first = path(atOffset: rows.lowerBound) else { return Snapshot() }
    var (section, item, rest) = (first.section, first.item, rows.count)
    while rest > 0, section < count {
      let end = Swift.min(self[section].items.count, item + rest)
      if end > item { sections.append(self[section].slice(item..<end)) }
      rest -= end - item
      (section, item) = (section + 1, 0)
    }
    return Snapshot(sections)
  }
}
