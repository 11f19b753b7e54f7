import DataSources

/// The list that a ``RemoteDataSource`` shows: that of the service, with the edits that it doesn't have yet.
actor ShownList<Item: Decodable & Sendable> {
  private struct Edit: Sendable {
    var apply: @Sendable (inout Draft<Item>) -> Void
    /// The place in the feed behind which the service's list has it, and the feed that was being read when the service
    /// said so; nil before.
    var place: FeedToken?
    var reading: String?
  }

  nonisolated let broadcaster = UpdateBroadcaster<Item>(Snapshot())
  /// The service's list, and its place in the feed.
  private var base = Snapshot<Item>()
  private var place: FeedToken?
  private var edits: [Int: Edit] = [:]
  private var lastNumber = 0

  /// Shows what was read, if it is current.
  func show(_ decoder: FrameDecoder<Item>) -> FrameDecoder<Item> {
    var decoder = decoder
    guard decoder.isCurrent else { return decoder }
    let update = decoder.takeUpdate(from: base)
    (base, place) = (decoder.list, decoder.token.flatMap(FeedToken.init))
    if edits.isEmpty {
      if let update { broadcaster.publish(update) }
    } else {
      settle()
    }
    return decoder
  }

  /// Shows an edit. Returns its number.
  func add(_ apply: @escaping @Sendable (inout Draft<Item>) -> Void) -> Int {
    lastNumber += 1
    edits[lastNumber] = Edit(apply: apply)
    publish()
    return lastNumber
  }

  /// Shows an edit no longer.
  func remove(_ number: Int) {
    edits[number] = nil
    publish()
  }

  /// Shows an edit until the list has it. Returns false if the feed that is read can't tell when, because it is another
  /// one.
  func keep(_ number: Int, until end: FeedToken) -> Bool {
    edits[number]?.place = end
    edits[number]?.reading = place?.handle
    settle()
    return place.map { $0.handle == end.handle } ?? true
  }

  /// Forgets the edits that the service's list has, and publishes. A feed that has begun since has them too.
  private func settle() {
    edits = edits.filter { _, edit in
      guard let end = edit.place, let place else { return true }
      return place.handle == end.handle ? place.version < end.version : place.handle == edit.reading
    }
    publish()
  }

  private func publish() {
    var draft = Draft(base)
    for (_, edit) in edits.sorted(by: { $0.key < $1.key }) { edit.apply(&draft) }
    if let update = Update(from: broadcaster.snapshot, to: draft.snapshot) { broadcaster.publish(update) }
  }
}
