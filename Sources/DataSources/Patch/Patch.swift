/// A difference with the content it takes to apply it somewhere else: what goes over a wire to a copy of the old list.
///
/// It holds the rows that came or changed and the titles of the sections that did, and nothing of what stayed:
///
/// ```swift
/// let data = try encoder.encode(update.patch)      // here
/// copy = try copy.applying(patch)                  // there
/// ```
public struct Patch<Item: Sendable>: Sendable {
  /// The places.
  public var changes: Changes
  /// How many sections the list has to which this applies.
  public var numberOfSections: Int
  /// How many rows the list has to which this applies.
  public var numberOfItems: Int
  /// The inserted sections without rows, as `changes.insertedSections` has them.
  public var insertedSections: [Section<Item>]
  /// The updated sections without rows, as `changes.updatedSections` has them.
  public var updatedSections: [Section<Item>]
  /// The inserted rows, as `changes.insertedItems` has them.
  public var insertedItems: [Item]
  /// The updated rows as they are now, as `changes.updatedItems` has them.
  public var updatedItems: [Item]
}

extension Update {
  /// The step as a difference with its content, for a copy of `old` somewhere else.
  ///
  /// Complexity: O(k log n) for k changes.
  public var patch: Patch<Item> {
    Patch(
      changes: changes, numberOfSections: old.count, numberOfItems: old.numberOfItems,
      insertedSections: changes.insertedSections.map { new[$0].withoutItems },
      updatedSections: changes.updatedSections.map { new[$0.to].withoutItems },
      insertedItems: changes.insertedItems.map { new[$0] },
      updatedItems: changes.updatedItems.map { new[$0.to] })
  }
}

extension Section {
  /// The section's name and titles alone.
  var withoutItems: Section { Section(info: info, items: Items(EmptyCollection())) }

  /// These rows under another section's name and titles.
  func named(as other: Section) -> Section { Section(info: other.info, items: rows) }
}

extension Patch: Equatable where Item: Equatable {}
extension Patch: Hashable where Item: Hashable {}
extension Patch: Encodable where Item: Encodable {}
extension Patch: Decodable where Item: Decodable {}
