import DataSources

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The list that the frames of a feed make, and how far they were read. It trusts no frame.
struct FrameDecoder<Item: Decodable & Sendable>: Sendable {
  private struct Frame: Decodable {
    var after: String?
    var next: String?
    var reset: Bool?
    var more: Bool?
    var first: Int?
    var total: Int?
    var sections: [Section<Item>]?
    var patch: Patch<Item>?
    var end: String?
  }

  /// A snapshot of which some pieces have come: its sections, which have no rows, and the rows of each.
  private struct Pieces: Sendable {
    var sections: [Section<Item>] = []
    var rows: [[Item]] = []
    var ids: Set<SectionID> = []
    var count = 0
    var bytes = 0
  }

  /// The place to continue from.
  private(set) var token: String?
  private(set) var list = Snapshot<Item>()
  /// The place of the list's first row in the whole list of which it is a window, and the number of all rows.
  private(set) var window = (first: 0, total: 0)
  /// How often a row could not be decoded since the last whole snapshot.
  private(set) var undecodable = 0
  /// The place of the list that was shown last.
  private var shown: FeedToken?
  private var pieces: Pieces?
  /// The updates since the list was last shown; nil if it has become another one.
  private var updates: [Update<Item>]? = []
  private let options: RemoteOptions

  init(_ options: RemoteOptions) { self.options = options }

  /// Whether the list is one that the service has shown, and none from before the one that is shown here: a new
  /// snapshot may be that of an earlier reader, followed by patches.
  var isCurrent: Bool {
    guard let token, pieces == nil else { return false }
    guard let shown, let place = FeedToken(token), place.handle == shown.handle else { return true }
    return place.version >= shown.version
  }

  /// Forgets where it was: what follows must be a new snapshot.
  ///
  /// - Parameter isWrong: Whether a frame was wrong, so that nothing that came before it can be trusted.
  mutating func forget(isWrong: Bool) {
    (token, pieces) = (nil, nil)
    if isWrong { shown = nil }
  }

  /// Reads the next frame.
  mutating func take(_ json: ArraySlice<UInt8>) throws {
    let frame = try decode(json)
    if let end = frame.end { throw FeedError("the service has ended the feed: \(end)") }
    guard let next = frame.next, (1...1000).contains(next.utf8.count) else { throw FeedError("a frame has no token") }
    if frame.reset == true {
      guard frame.sections != nil else { throw FeedError("a frame begins a snapshot without sections") }
      pieces = Pieces()
    } else if next == token {
      return  // the same frame again
    } else if token == nil || frame.after.map({ $0 != token }) ?? false {
      throw FeedError("a frame does not follow the one before")
    }
    for number in [frame.first, frame.total] where number.map({ $0 < 0 || $0 > Int(Int32.max) }) ?? false {
      throw FeedError("a frame has an impossible number of rows")
    }
    if let sections = frame.sections {
      try add(sections, bytes: json.count)
      if frame.reset == true { window.first = frame.first ?? 0 }
      if frame.more != true { finishSnapshot() }
    } else if let patch = frame.patch {
      if pieces != nil { throw FeedError("a patch comes in the middle of a snapshot") }
      let new = try list.applying(patch)
      try check(rows: new.numberOfItems)
      updates?.append(Update(old: list, new: new, changes: patch.changes))
      list = new
    } else {
      throw FeedError("a frame has neither sections nor a patch")
    }
    token = next
    window.total = frame.total ?? (frame.patch == nil ? window.total : list.numberOfItems)
  }

  private mutating func decode(_ json: ArraySlice<UInt8>) throws -> Frame {
    do {
      return try options.decoder().decode(Frame.self, from: Data(json))
    } catch let error as DecodingError {
      let path = error.path
      let rows = ["items", "insertedItems", "updatedItems"]
      if let key = path.firstIndex(where: { rows.contains($0.stringValue) }), path.count > key + 1 {
        undecodable += 1
        throw UndecodableRow(description: "a row can't be decoded: \(error)")
      }
      throw FeedError("a frame can't be decoded: \(error)")
    }
  }

  private mutating func add(_ sections: [Section<Item>], bytes: Int) throws {
    guard var pieces else { throw FeedError("a piece of a snapshot comes without the first one") }
    self.pieces = nil  // otherwise it would be copied
    for section in sections {
      if pieces.sections.last?.id == section.id {
        pieces.rows[pieces.rows.count - 1] += section.items
      } else {
        guard pieces.ids.insert(section.id).inserted else { throw FeedError("section \(section.id) comes twice") }
        pieces.sections.append(section.holding([]))
        pieces.rows.append(Array(section.items))
      }
      pieces.count += section.items.count
    }
    pieces.bytes += bytes
    if pieces.bytes > options.largestSnapshot {
      throw FeedError("the snapshot has more than \(options.largestSnapshot) bytes", isFinal: true)
    }
    try check(rows: pieces.count)
    self.pieces = pieces
  }

  private func check(rows: Int) throws {
    if rows > options.largestList {
      throw FeedError("the list has more than \(options.largestList) rows", isFinal: true)
    }
  }

  private mutating func finishSnapshot() {
    guard let pieces = pieces.take() else { return }
    list = Snapshot(zip(pieces.sections, pieces.rows).map { $0.holding($1) })
    updates = nil
    undecodable = 0
  }

  /// The update from the list that is shown to this one, as exact as the items allow; nil if nothing has changed, or if
  /// this one is not current.
  mutating func takeUpdate(from shown: Snapshot<Item>) -> Update<Item>? {
    guard isCurrent else { return nil }
    defer { (self.shown, updates) = (token.flatMap(FeedToken.init), []) }
    if case .composing = UpdateMerging<Item>.automatic, let updates {
      let merged = updates.dropFirst().reduce(updates.first) { $0?.followed(by: $1) }
      return merged.flatMap { $0.changes.isEmpty ? nil : Update(old: shown, new: $0.new, changes: $0.changes) }
    }
    return Update(from: shown, to: list)
  }
}

/// Why a row is not of the expected type. That is final if a new snapshot has such a row too.
struct UndecodableRow: Error, CustomStringConvertible {
  let description: String
}

extension DecodingError {
  /// The keys that lead to what can't be decoded.
  fileprivate var path: [any CodingKey] {
    switch self {
    case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context):
      context.codingPath
    case .keyNotFound(_, let context): context.codingPath
    @unknown default: []
    }
  }
}
