import DataSources
import DataSourcesTestSupport
import TestSupport
import Testing

/// Leaves of 4, so that few elements make a tree of some height; an element weighs its value.
private enum Small: TreeMeasure {
  static func weight(of element: Int) -> Int { element }
  static var leafCapacity: Int { 4 }
}

private final class Thing: Sendable {}

@Suite struct CountedTreeTests {
  private func check(_ tree: CountedTree<Small>, _ model: [Int], _ hint: String) -> Bool {
    let broken = tree.firstBrokenInvariant()
    #expect(broken == nil, "\(hint)")
    #expect(Array(tree) == model, "\(hint)")
    #expect(tree.count == model.count && tree.weight == model.reduce(0, +), "\(hint)")
    return broken == nil && Array(tree) == model
  }

  @Test func `edits do to the tree what they do to an array`() {
    for seed in Seeds.range(40) {
      var random = SeededGenerator(seed: seed)
      var model = (0..<random.below(600)).map { _ in random.below(5) }
      var tree = CountedTree<Small>(model)
      guard check(tree, model, Seeds.hint(seed)) else { return }
      let isShrinking = random.once(in: 2)
      var kept: [(CountedTree<Small>, [Int])] = []
      for step in 0..<400 {
        // Half of the edits work in place, the others on a tree that somebody holds.
        if random.once(in: 2) { kept = [(tree, model)] + kept.prefix(3) }
        let value = random.below(5)
        switch random.below(4) {
        case 0 where !model.isEmpty:
          let place = random.below(model.count)
          tree.update(at: place) { $0 = value }
          model[place] = value
        case 1, isShrinking ? 2 : 1:
          if model.isEmpty { continue }
          let place = random.below(model.count)
          #expect(tree.remove(at: place) == model.remove(at: place))
        default:
          let place = random.once(in: 3) ? model.count : random.below(model.count + 1)
          tree.insert(value, at: place)
          model.insert(value, at: place)
        }
        if step % 20 == 0, !check(tree, model, Seeds.hint(seed)) { return }
      }
      guard check(tree, model, Seeds.hint(seed)) else { return }
      for (tree, model) in kept { if !check(tree, model, Seeds.hint(seed)) { return } }
    }
  }

  @Test func `removing everything leaves an empty tree from either end`() {
    for isFromEnd in [false, true] {
      var model = Array(0..<500)
      var tree = CountedTree<Small>(model)
      while !model.isEmpty {
        let place = isFromEnd ? model.count - 1 : 0
        #expect(tree.remove(at: place) == model.remove(at: place))
        if model.count % 50 == 0 { #expect(check(tree, model, "\(model.count) left")) }
      }
      #expect(tree.root == nil)
      tree.insert(7, at: 0)
      #expect(check(tree, [7], "after refilling"))
    }
  }

  @Test func `appending leaves full leaves behind`() {
    var tree = CountedTree<Small>()
    for value in 0..<1000 { tree.insert(value, at: value) }
    #expect(check(tree, Array(0..<1000), "appended"))
    var leaves = 0
    tree.forEachLeaf { elements, _ in leaves += 1 }
    #expect(leaves == 250)
  }

  @Test func `elements are found by offset, by weight and by predicate`() {
    var random = SeededGenerator(seed: 5)
    let model = (0..<700).map { _ in random.below(4) }
    let tree = CountedTree<Small>(model)
    var weight = 0
    for (offset, value) in model.enumerated() {
      #expect(tree[offset] == value)
      #expect(tree.weight(before: offset) == weight)
      for rest in 0..<value {
        let found = tree.position(ofWeight: weight + rest)
        #expect(found.offset == offset && found.rest == rest)
      }
      weight += value
    }
    #expect(tree.weight(before: 700) == weight)
    let sorted = model.sorted()
    let sortedTree = CountedTree<Small>(sorted)
    for limit in -1...5 {
      #expect(sortedTree.partitioningOffset { $0 >= limit } == sorted.partitioningIndex { $0 >= limit })
    }
    #expect(CountedTree<Small>().partitioningOffset { _ in true } == 0)
  }

  @Test func `a sequence that does not know its length builds the same tree`() {
    for count in [0, 1, 3, 4, 5, 127, 128, 129, 600] {
      let tree = CountedTree<Small>(AnyIterator((0..<count).makeIterator()))
      #expect(check(tree, Array(0..<count), "\(count)"))
    }
  }

  @Test func `comparing versions finds all that differs and little else`() {
    for seed in Seeds.range(60) {
      var random = SeededGenerator(seed: seed)
      let old = CountedTree<Small>(Array(0..<1000))
      var new = old
      let edits = 1 + random.below(3)
      for _ in 0..<edits {
        if random.once(in: 2) { new.remove(at: random.below(new.count)) }
        new.insert(10_000, at: random.below(new.count + 1))
      }
      var shared: [(Int, Int, Int)] = []
      var oldLeaves: [Range<Int>] = []
      var newLeaves: [Range<Int>] = []
      CountedTree<Small>.compare(
        old.piece.map { [$0] } ?? [], new.piece.map { [$0] } ?? [],
        shared: { shared.append(($0.offset, $1.offset, $0.totalCount)) },
        onlyOld: { if $0.height == 0 { oldLeaves.append($0.offset..<$0.offset + $0.totalCount) } },
        onlyNew: { if $0.height == 0 { newLeaves.append($0.offset..<$0.offset + $0.totalCount) } })
      for (oldStart, newStart, count) in shared {
        #expect(Array(old)[oldStart..<oldStart + count] == Array(new)[newStart..<newStart + count])
      }
      // The reported nodes, shared or not, make up the whole of each list.
      let oldTold = shared.flatMap { Array($0.0..<$0.0 + $0.2) } + oldLeaves.flatMap { Array($0) }
      let newTold = shared.flatMap { Array($0.1..<$0.1 + $0.2) } + newLeaves.flatMap { Array($0) }
      #expect(oldTold.sorted() == Array(0..<old.count), "\(Seeds.hint(seed))")
      #expect(newTold.sorted() == Array(0..<new.count), "\(Seeds.hint(seed))")
      #expect(oldLeaves.count <= 4 * edits && newLeaves.count <= 5 * edits, "\(Seeds.hint(seed))")
    }
  }

  @Test func `elements with a large alignment are stored where they belong`() {
    var tree = CountedTree<UnitMeasure<SIMD8<Double>>>((0..<100).map { SIMD8(repeating: Double($0)) })
    tree.insert(SIMD8(repeating: -1), at: 50)
    #expect(tree[50] == SIMD8(repeating: -1) && tree[51] == SIMD8(repeating: 50) && tree[100] == SIMD8(repeating: 99))
    let alignment = MemoryLayout<SIMD8<Double>>.alignment
    tree.forEachLeaf { elements, _ in #expect(Int(bitPattern: elements.baseAddress) % alignment == 0) }
  }

  @Test func `memory can be loaded ahead for any rows of any list, and nothing changes`() {
    var dice = SeededGenerator(seed: 5)
    for sizes in [[], [0], [1], [0, 3, 0], [16, 17], [300, 0, 5000]] {
      let sections = sizes.enumerated().map { number, size in
        Section(
          id: .integer(Int64(number)), name: "",
          items: (0..<size).map { Referring(number: $0, text: "a text that is no single word \($0)", thing: Thing()) })
      }
      let list = Snapshot(sections)
      let count = list.numberOfItems
      let offsets = [-1, 0, count - 1, count, .max] + (0..<200).map { _ in dice.below(count + 1) }
      list.prefetch(atOffsets: offsets)
      #expect(list.items.map(\.number) == sizes.flatMap { Array(0..<$0) })
    }
  }

  private struct Referring: Sendable {
    var number: Int
    var text: String
    var thing: Thing
  }

  @Test func `elements are released with the tree`() {
    weak var inside: Thing?
    do {
      let thing = Thing()
      inside = thing
      var tree = CountedTree<UnitMeasure<Thing>>((0..<300).map { _ in Thing() })
      tree.insert(thing, at: 150)
      let kept = tree
      tree.remove(at: 150)
      #expect(kept[150] === thing)
    }
    #expect(inside == nil)
  }
}
