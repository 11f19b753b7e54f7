/// A difference with the content needed to apply it elsewhere: the message to send to a copy of the old list.
///
/// It holds the inserted and changed rows and the titles of the inserted and changed sections, and nothing that stayed
/// the same:
///
/// ```swift
/// let data = try JSONEncoder().encode(update.patch)                        // here
/// let patch = try JSONDecoder().decode(Patch<Errand>.self, from: data)       // there
/// let copy = try update.old.applying(patch)
/// ```
public struct Patch<Item: Sendable>: Sendable {
  /// The difference.
  public var changes: Changes
  /// The number of sections of the list to which this applies.
  public var numberOfSections: Int
  /// The number of rows of the list to which this applies.
  public var numberOfItems: Int
  /// The inserted sections without rows, in the order of `changes.insertedSections`.
  public var insertedSections: [Section<Item>]
  /// The updated sections without rows, in the order of `changes.updatedSections`.
  public var updatedSections: [Section<Item>]
  /// The inserted rows, in the order of `changes.insertedItems`.
  public var insertedItems: [Item]
  /// The new content of the updated rows, in the order of `changes.updatedItems`.
  public var updatedItems: [Item]
}

extension Update {
  /// The update as a difference with its content, for a copy of `old` elsewhere.
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

  /// Some of the rows, with the section's id and titles.
  package func slice(_ rows: Range<Int>) -> Section { Section(info: info, items: Items(items[rows])) }

  /// Other rows with this section's id and titles.
  package func holding(_ rows: some Sequence<Item>) -> Section { Section(info: info, items: Items(rows)) }

  /// These rows with another section's name and titles.
  func named(as other: Section) -> Section { Section(info: other.info, items: rows) }
}

extension Patch: Equatable where Item: Equatable {}
extension Patch: Hashable where Item: Hashable {}
extension Patch: Encodable where Item: Encodable {}
extension Patch: Decodable where Item: Decodable {}
