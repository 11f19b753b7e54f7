import DataSources
import FetchedResultsSupport

/// The frames of a list: the newest patches, and snapshots in pieces.
final class FeedLog<Item: Encodable & Sendable>: Sendable {
  private struct State: Sendable {
    /// The list after `version` updates, and how many rows the whole list has of which it is a window.
    var list: Snapshot<Item>
    var total: Int
    var version = 0
    /// The whole list that the source had then, and how many updates have come, including those outside the window.
    var source: Snapshot<Item>
    var updates = 0
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

  /// What follows a list, as it is found under the lock: frames, or two lists to compare.
  private enum Found: Sendable {
    case frames([FeedFrame]?)
    case merge(Snapshot<Item>, Snapshot<Item>, total: Int, to: Int)
  }

  let handle = String(UInt64.random(in: .min ... .max), radix: 36)
  private let window: Range<Int>?
  private let options: FeedOptions
  private let encoding: FrameEncoding
  private let state: Locked<State>

  init(_ list: Snapshot<Item>, window: Range<Int>?, _ options: FeedOptions) {
    (self.window, self.options, encoding) = (window, options, FrameEncoding(options))
    state = Locked(
      State(list: window.map { list.block($0) } ?? list, total: list.numberOfItems, source: list))
  }

  var failure: (any Error)? { state.withLock { $0.failure } }

  // MARK: Writing

  /// Appends an update. One task calls it.
  func append(_ update: Update<Item>) {
    defer {
      let old = state.withLock { state in
        defer { (state.source, state.updates) = (update.new, state.updates + 1) }
        return state.source
      }
      withExtendedLifetime(old) {}
    }
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

  var isObserved: Bool { state.withLock { !$0.handlers.isEmpty } }

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

  /// A token of a place behind which is all that the source has now.
  func token(behind source: AnyDataSource<Item>) async -> String {
    let goal = source.snapshot
    let start = state.withLock { $0.updates }
    for turn in 0... {
      let (token, seen, updates, hasEnded) = state.withLock { state in
        (FeedToken(handle: handle, version: state.version).text, state.source, state.updates, state.hasEnded)
      }
      // The first update may have been on its way before; the second was taken after that, so it led beyond the goal.
      if hasEnded || updates >= start + 2 || seen.isIdentical(to: goal) { return token }
      // Updates that cancel each other out don't come.
      if turn > 8, Update(from: seen, to: source.snapshot) == nil { return token }
      // A reader that has gone needs no answer. Without this, a cancelled task would never let go of its thread.
      do { try await Task.sleep(for: .milliseconds(1 << min(turn, 6))) } catch { return token }
    }
    fatalError("unreachable")
  }

  // MARK: Reading

  func read(after text: String?) -> FeedRead {
    do {
      let ending = state.withLock { $0.hasEnded ? FeedRead(frames: $0.ending.map { [$0] } ?? [], isEnd: true) : nil }
      if let ending { return ending }
      guard let token = text.flatMap(FeedToken.init), token.handle == handle else { return try begin() }
      guard let number = token.piece else {
        guard let frames = try frames(after: token.version) else { return try begin() }
        return FeedRead(frames: frames, isImmutable: !frames.isEmpty)
      }
      let snapshot = state.withLock { $0.snapshots.last { $0.version == token.version } }
      return try snapshot.flatMap { try piece(number, of: $0) } ?? begin()
    } catch {
      fail(error)
      return read(after: text)
    }
  }

  /// The first piece of the newest snapshot, or of a new one if many patches have followed that.
  private func begin() throws -> FeedRead {
    let newest = state.withLock { state -> SnapshotPieces<Item>? in
      guard let newest = state.snapshots.last, newest.version >= state.start else { return nil }
      let bytes = state.patches[(newest.version - state.start)...].reduce(0) { $0 + $1.frame.event.count }
      return bytes <= options.historyBytes / 8 ? newest : nil
    }
    if let newest, let read = try piece(0, of: newest) { return read }
    let made = state.withLock { state in
      let made = SnapshotPieces(
        state.list, FeedToken(handle: handle, version: state.version), first: window?.lowerBound, total: state.total,
        encoding)
      state.snapshots.append(made)
      if state.snapshots.count > 2 { state.snapshots.removeFirst() }
      return made
    }
    return FeedRead(frames: try [made.piece(0)].compactMap { $0 })
  }

  /// A piece of a snapshot; nil if there is none, or if a new snapshot is the better answer. With the last one comes
  /// what has followed: so who reads until a frame has no `more` has the list as it is.
  private func piece(_ number: Int, of snapshot: SnapshotPieces<Item>) throws -> FeedRead? {
    guard let piece = try snapshot.piece(number) else { return nil }
    if FeedToken(piece.next)?.piece != nil { return FeedRead(frames: [piece], isImmutable: number > 0) }
    return try frames(after: snapshot.version).map { FeedRead(frames: [piece] + $0) }
  }

  /// What follows a list: the patches, or one for many of them. Nil if too much is not known or has changed.
  private func frames(after version: Int) throws -> [FeedFrame]? {
    let found = state.withLock { state -> Found in
      if version == state.version { return .frames([]) }
      guard version < state.version else { return .frames(nil) }
      if let merged = state.merged[version] { return .frames([merged]) }
      var old = state.snapshots.last { $0.version == version }?.list
      if version >= state.start {
        let missed = state.patches[(version - state.start)...]
        if missed.count <= 16 { return .frames(missed.map(\.frame)) }
        old = missed[missed.startIndex].old
      }
      // A reader that has just read a snapshot has its list, even if the patches that followed were dropped.
      return old.map { .merge($0, state.list, total: state.total, to: state.version) } ?? .frames(nil)
    }
    guard case .merge(let old, let new, let total, let to) = found else {
      if case .frames(let frames) = found { return frames }
      return nil
    }
    let update = Update(from: old, to: new) ?? Update(old: old, new: new, changes: Changes())
    guard update.changes.count <= max(1000, new.numberOfItems / 4) else { return nil }
    let frame = try frame(of: update, total: total, version, to)
    state.withLock { if $0.version == to { $0.merged[version] = frame } }
    return [frame]
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
