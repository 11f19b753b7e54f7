/// A place in a feed's log, as readers name it: `HANDLE.VERSION`, or `HANDLE.VERSION.PIECE` inside a snapshot.
struct FeedToken: Equatable {
  /// The log. Another one has another handle, such as that of the same list after a restart.
  var handle: String
  /// How many updates lead to the list at this place.
  var version: Int
  /// How many pieces of the snapshot of that list the reader has; nil if it has the list.
  var piece: Int?

  init(handle: String, version: Int, piece: Int? = nil) {
    (self.handle, self.version, self.piece) = (handle, version, piece)
  }

  init?(_ text: String) {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 2 || parts.count == 3, let version = Int(parts[1]) else { return nil }
    self.init(handle: String(parts[0]), version: version)
    guard parts.count == 3 else { return }
    guard let piece = Int(parts[2]), piece > 0 else { return nil }
    self.piece = piece
  }

  var text: String { "\(handle).\(version)" + (piece.map { ".\($0)" } ?? "") }
}
