import DataSourcesTestSupport
import FetchedResults
import TestSupport
import Testing

@testable import FetchedResultsCore

/// A buffer of order keys keeps what an array of arrays keeps.
@Suite struct KeyBufferTests {
  private struct Entry: Equatable {
    var bytes: [UInt8]
    var sectionCount: Int
  }

  private static func bytes(_ dice: inout SeededGenerator) -> [UInt8] {
    (0..<dice.pick(0, 1, 2, 7, 8, 9, 40, 300)).map { _ in dice.pick(0, 1, 127, 128, 254, 255) }
  }

  private static func append(_ dice: inout SeededGenerator, to buffer: KeyBuffer) -> Entry {
    let start = buffer.beginEntry()
    var entry = Entry(bytes: [], sectionCount: 0)
    func add() {
      if dice.once(in: 2) {
        let number = dice.next()
        buffer.append(bigEndian: number)
        entry.bytes += (0..<8).reversed().map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
      }
      for byte in bytes(&dice) {
        buffer.append(byte)
        entry.bytes.append(byte)
      }
    }
    add()
    if dice.once(in: 3) {
      buffer.endEmptySectionPart(of: start)
    } else {
      buffer.endSectionPart(of: start)
      entry.sectionCount = entry.bytes.count
    }
    add()
    buffer.endEntry(start)
    return entry
  }

  /// How a buffer differs from the entries that it should have; nil if it doesn't.
  private static func difference(_ buffer: KeyBuffer, _ model: [Entry]) -> String? {
    if let broken = buffer.firstBrokenInvariant() { return broken }
    if buffer.count != model.count { return "it has \(buffer.count) entries, and not \(model.count)" }
    for (index, entry) in model.enumerated() {
      if !buffer.bytes(index).elementsEqual(entry.bytes) { return "entry \(index) has other bytes" }
      if !buffer.sectionBytes(index).elementsEqual(entry.bytes.prefix(entry.sectionCount)) {
        return "entry \(index) has other bytes for its section"
      }
      if buffer.touch(index) != UInt32(entry.bytes.count) { return "entry \(index) begins with another length" }
    }
    return nil
  }

  private static func isBefore(_ left: Entry, _ right: Entry) -> Bool {
    left.bytes.lexicographicallyPrecedes(right.bytes)
  }

  @Test func `edits change the buffer as they change an array of entries`() {
    for seed in Seeds.range(30) { if !isIntact(seed) { return } }
  }

  private func isIntact(_ seed: UInt64) -> Bool {
    var dice = SeededGenerator(seed: seed)
    let buffer = KeyBuffer(capacity: dice.pick(0, 64, 256, 5000))
    let other = KeyBuffer()
    let others = (0..<20).map { _ in Self.append(&dice, to: other) }
    var model: [Entry] = []
    for step in 0..<200 {
      switch dice.below(10) {
      case 0, 1, 2: model.append(Self.append(&dice, to: buffer))
      case 3:
        let index = dice.below(others.count)
        buffer.append(entry: index, of: other)
        model.append(others[index])
      case 4 where dice.once(in: 3):
        buffer.compact()
        if buffer.end != buffer.liveSize { return fail("\(buffer.end) bytes are left", step, seed) }
      default:
        if model.isEmpty { continue }
        let (slot, index) = (dice.below(model.count), dice.below(others.count))
        buffer.replace(slot, with: index, of: other)
        model[slot] = others[index]
      }
      if step.isMultiple(of: 5), let broken = Self.difference(buffer, model) { return fail(broken, step, seed) }
      guard !model.isEmpty else { continue }
      let (left, right) = (dice.below(model.count), dice.below(model.count))
      let comparison = KeyBuffer.compare(buffer, left, buffer, right)
      let expected =
        Self.isBefore(model[left], model[right]) ? -1 : model[left].bytes == model[right].bytes ? 0 : 1
      if comparison.signum() != expected { return fail("two entries compare wrongly", step, seed) }
    }
    if let broken = Self.difference(buffer, model) ?? Self.difference(other, others) { return fail(broken, 200, seed) }
    return true
  }

  private func fail(_ what: String, _ step: Int, _ seed: UInt64) -> Bool {
    Issue.record("\(what), after step \(step), \(Seeds.hint(seed))")
    return false
  }
}
