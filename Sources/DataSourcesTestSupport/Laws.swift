public import DataSources

/// Checkers of the laws. Each returns the violations; empty otherwise.
///
/// They work on plain arrays and share no code with the library, so that they can't have the same errors.
///
/// ```swift
/// #expect(Laws.violations(of: update) == [])
/// ```
public enum Laws {
  /// Checks replay, frugal and acceptable on an update, and the round trip on its new list.
  public static func violations<Item: Identifiable & Equatable>(of update: Update<Item>) -> [Violation] {
    replay(update) + frugal(update) + acceptable(update) + roundTrip(update.new)
  }

  /// Checks an update. Functions give an item's identity and compare contents.
  public static func violations<Item, ID: Hashable>(
    of update: Update<Item>, identifiedBy id: (Item) -> ID, by haveEqualContent: (Item, Item) -> Bool
  ) -> [Violation] {
    replay(update, identifiedBy: id, by: haveEqualContent)
      + frugal(update, identifiedBy: id, by: haveEqualContent)
      + acceptable(update, identifiedBy: id, by: haveEqualContent)
      + roundTrip(update.new, identifiedBy: id)
  }

  /// Checks that each update starts where the one before it ended, and the first at `start` if that is known.
  ///
  /// ```swift
  /// let updates = [update]
  /// #expect(Laws.chain(updates) == [])
  /// ```
  public static func chain<Item: Equatable>(
    _ updates: some Sequence<Update<Item>>, from start: Snapshot<Item>? = nil
  ) -> [Violation] {
    var violations: [Violation] = []
    var last = start
    for (number, update) in updates.enumerated() {
      if let last, Model(last) != Model(update.old) {
        violations.append(Violation(.chain, "the old list is not the last new one", "at update \(number)"))
      }
      last = update.new
    }
    return violations
  }
}

/// A list as plain arrays.
struct Model<Item> {
  struct Part {
    var id: SectionID
    var titles: [String?]
    var rows: [Item]
  }

  var parts: [Part]

  init(_ snapshot: Snapshot<Item>) where Item: Sendable {
    parts = snapshot.map { section in
      Part(
        id: section.id, titles: [section.name, section.indexTitle, section.header, section.footer],
        rows: Array(section.items))
    }
  }

  func contains(_ path: ItemPath) -> Bool {
    parts.indices.contains(path.section) && parts[path.section].rows.indices.contains(path.item)
  }

  subscript(path: ItemPath) -> Item { parts[path.section].rows[path.item] }

  var paths: [ItemPath] {
    parts.indices.flatMap { section in parts[section].rows.indices.map { ItemPath(section: section, item: $0) } }
  }
}

extension Model.Part: Equatable where Item: Equatable {}
extension Model: Equatable where Item: Equatable {}
