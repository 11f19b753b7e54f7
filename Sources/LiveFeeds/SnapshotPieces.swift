import DataSources
import FetchedResultsSupport

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A list in pieces of bounded size, each encoded when a reader first asks for it.
final class SnapshotPieces<Item: Encodable & Sendable>: Sendable {
  let version: Int
  let list: Snapshot<Item>
  private let handle: String
  /// The place of the first row in the whole list, of a window, and the number of rows of the whole list.
  private let first: Int?
  private let total: Int
  private let encoding: FrameEncoding
  private let turns = TurnTaking()
  private let made = Locked(Made())

  private struct Made: Sendable {
    var pieces: [FeedFrame] = []
    /// The row at which the next piece begins; nil at the end.
    var next: ItemPath? = ItemPath(section: 0, item: 0)
    var rowsAtOnce = 128
  }

  init(_ list: Snapshot<Item>, _ token: FeedToken, first: Int?, total: Int, _ encoding: FrameEncoding) {
    (self.list, version, handle) = (list, token.version, token.handle)
    (self.first, self.total, self.encoding) = (first, total, encoding)
  }

  /// The piece with a number; nil if there are fewer.
  func piece(_ number: Int) throws -> FeedFrame? {
    if let known = made.withLock({ $0.pieces.indices.contains(number) ? $0.pieces[number] : nil }) { return known }
    return try turns.inTurn {
      var made = made.withLock { $0 }
      while made.pieces.count <= number, let start = made.next { try add(&made, from: start) }
      self.made.withLock { [made] in $0 = made }
      return made.pieces.indices.contains(number) ? made.pieces[number] : nil
    }
  }

  private func add(_ made: inout Made, from start: ItemPath) throws {
    var place = start
    var json: [[UInt8]] = []
    var bytes = 0
    while bytes < encoding.pieceBytes, place.section < list.count {
      let section = list[place.section]
      let end = min(section.items.count, place.item + made.rowsAtOnce)
      let part = try encoding.encode(section.slice(place.item..<end))
      if end - place.item == made.rowsAtOnce {
        made.rowsAtOnce = max(1, min(4096, encoding.pieceBytes / max(1, part.count / made.rowsAtOnce)))
      }
      json.append(part)
      bytes += part.count
      place =
        end == section.items.count
        ? ItemPath(section: place.section + 1, item: 0)
        : ItemPath(section: place.section, item: end)
    }
    let isLast = place.section >= list.count
    let number = made.pieces.count
    let next = FeedToken(handle: handle, version: version, piece: isLast ? nil : number + 1).text
    let after = number == 0 ? "" : "\"after\":\"\(FeedToken(handle: handle, version: version, piece: number).text)\","
    var head = "{\(after)\"next\":\"\(next)\""
    if number == 0 { head += ",\"reset\":true" + (first.map { ",\"first\":\($0)" } ?? "") + ",\"total\":\(total)" }
    if !isLast { head += ",\"more\":true" }
    head += ",\"sections\":["
    var parts = [Array(head.utf8)]
    for (index, part) in json.enumerated() { parts += index == 0 ? [part] : [[UInt8(ascii: ",")], part] }
    let frame = FeedFrame(next: next, parts + [Array("]}".utf8)])
    made.pieces.append(frame)
    made.next = isLast ? nil : place
  }
}

/// How frames are encoded.
struct FrameEncoding: Sendable {
  let pieceBytes: Int
  private let encoder: @Sendable () -> JSONEncoder

  init(_ options: FeedOptions) { (pieceBytes, encoder) = (options.pieceBytes, options.encoder) }

  func encode(_ value: some Encodable) throws -> [UInt8] { Array(try encoder().encode(value)) }
}
