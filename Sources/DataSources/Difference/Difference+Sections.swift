/// A section in a snapshot's memory, and its index.
@usableFromInline struct SectionReference<Item: Sendable> {
  @usableFromInline let pointer: UnsafePointer<Section<Item>>
  @usableFromInline let index: Int

  @inlinable init(pointer: UnsafePointer<Section<Item>>, index: Int) {
    self.pointer = pointer
    self.index = index
  }

  @inlinable var info: SectionInfo { pointer.pointee.info }
  @inlinable var rows: CountedTree<UnitMeasure<Item>> { pointer.pointee.rows.tree }
}

extension Difference {
  /// Compares the sections, and the rows in each.
  @inlinable mutating func compareSections(_ old: Sections, _ new: Sections) {
    var runs: [Run] = []
    var olds: [SectionReference<Item>] = []
    var news: [SectionReference<Item>] = []
    Sections.compare(
      old.piece.map { [$0] } ?? [], new.piece.map { [$0] } ?? [],
      shared: { runs.extend(with: Run(old: $0.offset, new: $1.offset, count: $0.totalCount)) },
      onlyOld: { Self.append($0, to: &olds) }, onlyNew: { Self.append($0, to: &news) })

    var sections = Pairing()
    sections.pair(
      old: olds.count, new: news.count,
      isSame: { olds[$0].info === news[$1].info || olds[$0].info.id == news[$1].info.id }, oldID: { olds[$0].info.id },
      newID: { news[$0].info.id })
    for index in olds.indices where !sections.isPaired[index] {
      changes.deletedSections.append(olds[index].index)
      Self.append(olds[index].rows, section: olds[index].index, to: &leftOld)
    }
    for index in news.indices {
      let new = news[index]
      let partner = Int(sections.oldOfNew[index])
      if partner < 0 {
        changes.insertedSections.append(new.index)
        Self.append(new.rows, section: new.index, to: &leftNew)
        continue
      }
      let old = olds[partner]
      runs.extend(with: Run(old: old.index, new: new.index, count: 1))
      if old.info !== new.info, !old.info.readsLike(new.info) {
        changes.updatedSections.append(SectionMove(from: old.index, to: new.index))
      }
      if !old.rows.isIdentical(to: new.rows) {
        compareRows(old.rows, old.index, new.rows, new.index)
      }
    }
    for run in runs.sortedAndJoined().moved() {
      for index in 0..<run.count {
        changes.movedSections.append(SectionMove(from: run.old + index, to: run.new + index))
      }
    }
  }

  @inlinable static func append(_ piece: TreePiece<Section<Item>>, to list: inout [SectionReference<Item>]) {
    piece.node._withUnsafeGuaranteedRef { node in
      if node.height > 0 { return }
      list.reserveRoom(for: node.count)
      node.withElements { elements in
        for index in 0..<node.count {
          list.append(SectionReference(pointer: elements + index, index: piece.offset + index))
        }
      }
    }
  }

  @inlinable static func append(_ rows: Rows, section: Int, to list: inout [RowReference<Item>]) {
    list.reserveRoom(for: rows.count)
    rows.forEachLeaf { elements, offset in
      guard let start = elements.baseAddress else { return }
      for index in 0..<elements.count {
        list.append(RowReference(pointer: start + index, section: section, item: offset + index))
      }
    }
  }
}

extension [Run] {
  /// The runs ascending by `new`, neighbours joined.
  @usableFromInline func sortedAndJoined() -> [Run] {
    var runs = self
    for index in runs.indices.dropFirst() where runs[index - 1].new > runs[index].new {
      runs.sort { $0.new < $1.new }
      break
    }
    var result: [Run] = []
    for run in runs { result.extend(with: run) }
    return result
  }

  /// Appends a run, joined to the last one if it continues that.
  @inlinable mutating func extend(with run: Run) {
    if let last, last.old + last.count == run.old, last.new + last.count == run.new {
      self[count - 1].count += run.count
    } else {
      append(run)
    }
  }
}
