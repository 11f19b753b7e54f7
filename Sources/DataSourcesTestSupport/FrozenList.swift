public import DataSources

/// A snapshot with a copy of its content, to check later that it has not changed.
///
/// ```swift
/// let frozen = FrozenList(errands.snapshot)
/// errands.clear(section: 0)
/// #expect(frozen.violations() == [])
/// ```
public struct FrozenList<Item: Sendable & Equatable>: Sendable {
  private let snapshot: Snapshot<Item>
  private let sections: [Section<Item>]
  private let rows: [[Item]]

  /// Copies a snapshot's content into arrays that share nothing with it.
  public init(_ snapshot: Snapshot<Item>) {
    self.snapshot = snapshot
    rows = snapshot.map { Array($0.items) }
    sections = snapshot.map { section in
      Section(
        id: section.id, name: section.name, indexTitle: section.indexTitle, header: section.header,
        footer: section.footer, items: EmptyCollection())
    }
  }

  /// What has changed since; empty if the law is kept.
  public func violations() -> [Violation] { violations(of: snapshot) }

  /// What differs in another snapshot that should have the same content.
  public func violations(of snapshot: Snapshot<Item>) -> [Violation] {
    guard snapshot.count == sections.count else {
      return [Violation(.frozen, "the number of sections changed", "\(sections.count) became \(snapshot.count)")]
    }
    var violations: [Violation] = []
    for (index, section) in snapshot.enumerated() {
      let before = sections[index]
      if section.id != before.id || section.name != before.name || section.indexTitle != before.indexTitle
        || section.header != before.header || section.footer != before.footer
      {
        violations.append(Violation(.frozen, "a section changed", "section \(index)"))
      }
      if Array(section.items) != rows[index] {
        violations.append(Violation(.frozen, "the rows changed", "in section \(index)"))
      }
    }
    return violations
  }
}
