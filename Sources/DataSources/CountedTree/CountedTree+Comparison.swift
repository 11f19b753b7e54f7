/// A subtree and the offset of its first element in the list. The user of a piece must keep the list alive.
@usableFromInline package struct TreePiece<Element> {
  @usableFromInline package let node: Unmanaged<TreeNode<Element>>
  @usableFromInline package let offset: Int

  @inlinable package init(_ node: TreeNode<Element>, offset: Int) {
    self.node = Unmanaged.passUnretained(node)
    self.offset = offset
  }

  @inlinable init(_ node: Unmanaged<TreeNode<Element>>, offset: Int) {
    self.node = node
    self.offset = offset
  }

  @inlinable package var height: Int { node._withUnsafeGuaranteedRef { $0.height } }
  @inlinable package var totalCount: Int { node._withUnsafeGuaranteedRef { $0.totalCount } }
  @inlinable func isSame(as other: TreePiece) -> Bool { node.toOpaque() == other.node.toOpaque() }
}

extension CountedTree {
  /// The whole tree as a piece; nil if it is empty. The caller must keep the tree alive.
  @inlinable package var piece: TreePiece<Element>? { root.map { TreePiece($0, offset: 0) } }

  /// Finds which nodes two forests share and which they don't, without visiting what they share.
  ///
  /// A node always has the same height, so the two are compared height by height from the top. Common nodes are passed
  /// to `shared`, the rest to `onlyOld` and `onlyNew`, and the children of the rest are compared next. Nodes of one
  /// height are reported in the order of their forest. A node that occurs several times is reported each time.
  ///
  /// Complexity: O(m) for m nodes that are not shared.
  @inlinable package static func compare(
    _ old: [TreePiece<Element>], _ new: [TreePiece<Element>],
    shared: (_ old: TreePiece<Element>, _ new: TreePiece<Element>) -> Void,
    onlyOld: (TreePiece<Element>) -> Void, onlyNew: (TreePiece<Element>) -> Void
  ) {
    var height = 0
    for piece in old { height = Swift.max(height, piece.height) }
    for piece in new { height = Swift.max(height, piece.height) }
    var olds: [TreePiece<Element>] = []
    var news: [TreePiece<Element>] = []
    while true {
      for piece in old where piece.height == height { olds.append(piece) }
      for piece in new where piece.height == height { news.append(piece) }
      cancel(&olds, &news, shared: shared)
      for piece in olds { onlyOld(piece) }
      for piece in news { onlyNew(piece) }
      if height == 0 { return }
      olds = children(of: olds)
      news = children(of: news)
      height -= 1
    }
  }

  @inlinable static func children(of pieces: [TreePiece<Element>]) -> [TreePiece<Element>] {
    var children: [TreePiece<Element>] = []
    children.reserveCapacity(pieces.count * Node.branchCapacity)
    for piece in pieces {
      piece.node._withUnsafeGuaranteedRef { branch in
        for slot in 0..<branch.count {
          children.append(
            TreePiece(branch.unmanagedChild(slot), offset: piece.offset + branch.count(beforeSlot: slot)))
        }
      }
    }
    return children
  }

  /// Removes from both arrays what they share.
  @inlinable static func cancel(
    _ olds: inout [TreePiece<Element>], _ news: inout [TreePiece<Element>],
    shared: (_ old: TreePiece<Element>, _ new: TreePiece<Element>) -> Void
  ) {
    if olds.isEmpty || news.isEmpty { return }
    var start = 0
    let shorter = Swift.min(olds.count, news.count)
    while start < shorter, olds[start].isSame(as: news[start]) {
      shared(olds[start], news[start])
      start += 1
    }
    var tail = 0
    while tail < shorter - start, olds[olds.count - 1 - tail].isSame(as: news[news.count - 1 - tail]) { tail += 1 }
    let oldEnd = olds.count - tail
    let newEnd = news.count - tail
    if start < oldEnd, start < newEnd {
      // Nodes in between are matched by identity, wherever they have moved.
      cancelMoved(&olds, start..<oldEnd, &news, start..<newEnd, tail: tail, shared: shared)
      return
    }
    for offset in (0..<tail).reversed() { shared(olds[olds.count - 1 - offset], news[news.count - 1 - offset]) }
    olds.keepOnly(start..<oldEnd)
    news.keepOnly(start..<newEnd)
  }

  @inlinable static func cancelMoved(
    _ olds: inout [TreePiece<Element>], _ oldRange: Range<Int>, _ news: inout [TreePiece<Element>],
    _ newRange: Range<Int>, tail: Int, shared: (_ old: TreePiece<Element>, _ new: TreePiece<Element>) -> Void
  ) {
    var isOldShared = [Bool](repeating: false, count: oldRange.count)
    var places: [UnsafeMutableRawPointer: [Int]] = [:]
    let isSmall = oldRange.count * newRange.count <= 256
    if !isSmall {
      for index in oldRange.reversed() { places[olds[index].node.toOpaque(), default: []].append(index) }
    }
    var onlyNew: [TreePiece<Element>] = []
    for index in newRange {
      let piece = news[index]
      let match: Int?
      if isSmall {
        match = oldRange.first { !isOldShared[$0 - oldRange.lowerBound] && olds[$0].isSame(as: piece) }
      } else {
        match = places[piece.node.toOpaque()]?.popLast()
      }
      if let match {
        isOldShared[match - oldRange.lowerBound] = true
        shared(olds[match], piece)
      } else {
        onlyNew.append(piece)
      }
    }
    for offset in (0..<tail).reversed() { shared(olds[olds.count - 1 - offset], news[news.count - 1 - offset]) }
    news = onlyNew
    var onlyOld: [TreePiece<Element>] = []
    for index in oldRange where !isOldShared[index - oldRange.lowerBound] { onlyOld.append(olds[index]) }
    olds = onlyOld
  }
}

extension Array {
  /// Removes what is not in a range.
  @inlinable mutating func keepOnly(_ range: Range<Int>) {
    if range.upperBound < count { removeLast(count - range.upperBound) }
    if range.lowerBound > 0 { removeFirst(range.lowerBound) }
  }
}
