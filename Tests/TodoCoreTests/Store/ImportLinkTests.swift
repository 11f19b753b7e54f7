import DataSourcesTestSupport
import FixtureSupport
import SQLiteStore
import TestSupport
import Testing

@testable import TodoCore

/// Items that follow others, in files and in the database.
@Suite struct ImportLinkTests {
  private static func uuid(_ number: Int) -> String { "6f1c9a0e-1b2c-4d3e-8f90-01234567890\(number)" }

  /// Items 1 to 4, which follow the items of these numbers.
  private func batch(_ links: [Int: Int], _ numbers: ClosedRange<Int> = 1...4) -> ImportBatch {
    var batch = ImportBatch()
    for number in numbers {
      var item = ImportedItem(title: "item \(number)")
      item.uuid = Self.uuid(number)
      item.previous = links[number].map(Self.uuid)
      item.place = TextPlace(line: number, column: 1)
      batch.items.append(item)
    }
    return batch
  }

  private func links(_ test: TestStore) throws -> [Int: Int] {
    let rows = try test.store.database.read {
      try $0.rows("SELECT id, previous FROM item WHERE previous IS NOT NULL").map { try ($0[0] as Int, $0[1] as Int) }
    }
    return Dictionary(uniqueKeysWithValues: rows)
  }

  private static let updating: ImportOptions = {
    var options = ImportOptions()
    options.isUpdating = true
    return options
  }()

  @Test(arguments: [[3: 2, 4: 1], [3: 4, 4: 1], [4: 1], [1: 3, 3: 2, 4: 1]])
  func `items can exchange the instances that they follow`(new: [Int: Int]) throws {
    let test = try TestStore()
    _ = try test.store.importItems(batch([3: 1, 4: 2]))
    #expect(try links(test) == [3: 1, 4: 2])
    var file = batch(new)
    // What the file does not link stays as it is; so 3 is released only if it follows another one.
    if new[3] == nil { file.items[2].previous = Self.uuid(2) }
    let wanted = new.merging(new[3] == nil ? [3: 2] : [:]) { one, _ in one }
    #expect(throws: TodoError.self) { try test.store.importItems(file) }
    let result = try test.store.importItems(file, Self.updating)
    #expect(try links(test) == wanted && result.warnings == [])
    #expect(try test.store.importItems(file, Self.updating).change?.didChange == false)
    _ = try test.store.undo()
    #expect(try links(test) == [3: 1, 4: 2])
    #expect(try test.store.doctor().allSatisfy(\.isWell))
  }

  @Test(arguments: [[3: 2, 2: 1], [3: 4, 2: 1], [3: 3, 2: 1]])
  func `a link that can't be made is no change, however often the file is imported`(there: [Int: Int]) throws {
    let test = try TestStore()
    _ = try test.store.importItems(batch(there))
    let before = try links(test)
    var file = batch([:])
    // 2 goes on following 1, and 4 may not follow an unknown item.
    file.items[3].previous = Self.uuid(9)
    file.items[2].previous = there[3] == 3 ? Self.uuid(3) : Self.uuid(1)
    for options in [ImportOptions(), Self.updating, Self.updating] {
      let result = try test.store.importItems(file, options)
      #expect(result.updated == 0 && result.unchanged == 4 && result.change?.didChange == false)
      #expect(result.warnings.count == 2)
      #expect(try links(test) == before)
    }
  }

  @Test func `no item is made to follow itself`() throws {
    let test = try TestStore()
    let result = try test.store.importItems(batch([1: 1, 2: 1, 3: 3]))
    #expect(result.warnings.count == 2 && result.warnings.allSatisfy { $0.contains("it would follow itself") })
    #expect(try links(test) == [2: 1])
  }

  @Test func `an export with an item that follows itself can be imported`() throws {
    let test = try TestStore()
    _ = try test.store.importItems(batch([2: 1]))
    try test.store.database.write { try $0.execute("UPDATE item SET previous = id WHERE id = 3") }
    let file = try TransferFormat.json.read(test.store.exported(as: .json), at: test.clock.moment)
    #expect(try test.store.importItems(file).change?.didChange == false)
    let other = try TestStore()
    #expect(try other.store.importItems(file).warnings.count == 1)
    #expect(try links(other) == [2: 1])
  }

  @Test func `a link that can't be made is reported`() throws {
    let test = try TestStore()
    // Neither in the file nor here.
    var result = try test.store.importItems(batch([2: 9], 1...2))
    #expect(result.warnings.count == 1 && result.warnings[0].hasPrefix("line 2, column 1: \"item 2\" is not made to"))
    // Two of the file.
    result = try test.store.importItems(batch([3: 1, 4: 1], 3...4))
    #expect(result.warnings.count == 1 && result.warnings[0].contains("\"item 3\" follows the same instance"))
    #expect(try links(test) == [3: 1])
    // One that is here, and not in the file.
    result = try test.store.importItems(batch([5: 1], 5...5))
    #expect(result.warnings.count == 1 && result.warnings[0].contains("\"item 3\" follows the same instance here"))
    #expect(try links(test) == [3: 1])
  }

  @Test(arguments: Seeds.range(60)) func `every link of a file is made or reported`(seed: UInt64) throws {
    var dice = SeededGenerator(seed: seed &+ 77)
    let test = try TestStore()
    func randomLinks() -> [Int: Int] {
      var links: [Int: Int] = [:]
      // Also to unknown items, to the item itself, and of several to one.
      for number in 1...6 where dice.once(in: 2) { links[number] = dice.below(8) + 1 }
      return links
    }
    for _ in 0..<4 {
      let wanted = randomLinks()
      var file = batch(wanted, 1...(3 + dice.below(4)))
      file.items.shuffle(using: &dice)
      let result = try test.store.importItems(file, Self.updating)
      let made = try links(test)
      let ids = try test.store.items(Selection(ids: [1...9])).map { ($0.title, Int($0.id)) }
      let numbers = Dictionary(uniqueKeysWithValues: ids)
      var missing = 0
      for item in file.items {
        guard let previous = item.previous, let own = numbers[item.title] else { continue }
        let former = numbers["item \(previous.last ?? "?")"]
        if former == nil || made[own] != former { missing += 1 }
      }
      #expect(result.warnings.count == missing, "SEED=\(seed) \(wanted) \(made) \(result.warnings)")
      #expect(Set(made.values).count == made.count)
    }
  }
}
