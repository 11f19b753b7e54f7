public import DataSources

/// A section with rows, as it is or was in the list of rows.
@usableFromInline
struct ShownSection {
  /// Its index there.
  var number: Int
  /// The number of its first row.
  var start: Int
  var id: SectionID
}

/// The published sections, with and without rows, for code that does not know the type of the rows. It runs only for
/// requests that show sections without rows, so it is not compiled for each type.
@usableFromInline
protocol ShownSections: AnyObject {
  /// Publishes sections in this order: those with rows by their index, and after these the empty ones.
  func arrange(_ order: [Int], _ empty: [(id: SectionID, name: String)])
  /// The sections with rows that differ between the published list and the list of rows.
  func differing() -> (old: [ShownSection], new: [ShownSection])
  func count() -> Int
  func id(_ place: Int) -> SectionID
  /// The number of the section's first row; nil if it is empty.
  func start(_ place: Int) -> Int?
  func hasRow(_ row: Int) -> Bool
  func section(ofRow row: Int) -> Int
  func hide(_ place: Int)
  /// Publishes a section with rows at a place.
  func show(_ section: Int, _ place: Int)
}

extension RowStorage: ShownSections {
  @usableFromInline func arrange(_ order: [Int], _ empty: [(id: SectionID, name: String)]) {
    let full = Array(rows)
    visits += order.count
    // The index of `path(of:)` stays, which is brought up to date by comparing lists.
    shown = rows
    shown.tree = CountedTree(
      order.map { number in
        if number < full.count { return full[number] }
        let (id, name) = empty[number - full.count]
        return Section(id: id, name: name, items: EmptyCollection())
      })
    arranged = rows
  }

  @usableFromInline func differing() -> (old: [ShownSection], new: [ShownSection]) {
    defer { arranged = rows }
    var (old, new): ([Int], [Int]) = ([], [])
    func add(_ piece: TreePiece<Section<E>>, _ indices: inout [Int]) {
      if piece.height == 0 { indices += piece.offset..<piece.offset + piece.totalCount }
    }
    CountedTree<SectionMeasure<E>>.compare(
      arranged.tree.piece.map { [$0] } ?? [], rows.tree.piece.map { [$0] } ?? [], shared: { _, _ in },
      onlyOld: { add($0, &old) }, onlyNew: { add($0, &new) })
    old.sort()
    new.sort()
    // A leaf also holds neighbours, which are the same.
    let places = Dictionary(old.enumerated().map { (arranged[$1].id, (place: $1, rank: $0)) }) { first, _ in first }
    var same: Set<Int> = []
    var last = -1
    var moved: [Int] = []
    for (rank, number) in new.enumerated() {
      // It has not moved if as many sections that both lists share are before it, and the others are in order.
      guard let (place, oldRank) = places[rows[number].id], place > last, place - oldRank == number - rank,
        areSame(arranged[place], rows[number])
      else {
        moved.append(number)
        continue
      }
      last = place
      same.insert(place)
    }
    new = moved
    old.removeAll { same.contains($0) }
    func sections(_ indices: [Int], of list: Snapshot<E>) -> [ShownSection] {
      indices.map { ShownSection(number: $0, start: list.tree.weight(before: $0), id: list[$0].id) }
    }
    return (sections(old, of: arranged), sections(new, of: rows))
  }

  /// Whether two sections have the same name and the same rows in memory.
  private func areSame(_ left: Section<E>, _ right: Section<E>) -> Bool {
    left.items.tree.isIdentical(to: right.items.tree) && left.name.utf8.elementsEqual(right.name.utf8)
  }

  @usableFromInline func count() -> Int { shown.count }
  @usableFromInline func id(_ place: Int) -> SectionID {
    visits += 1
    return shown[place].id
  }
  @usableFromInline func start(_ place: Int) -> Int? {
    visits += 1
    return shown.offset(of: ItemPath(section: place, item: 0))
  }
  @usableFromInline func hasRow(_ row: Int) -> Bool { row < shown.numberOfItems }
  @usableFromInline func section(ofRow row: Int) -> Int { shown.path(atOffset: row)?.section ?? 0 }
  @usableFromInline func hide(_ place: Int) {
    visits += 1
    shown.removeSection(at: place)
  }
  @usableFromInline func show(_ section: Int, _ place: Int) {
    visits += 1
    shown.insertSection(rows[section], at: place)
  }
}
