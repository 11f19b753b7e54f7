/// A section of a list: its id and titles, and its rows.
///
/// ```swift
/// let errands = Section(id: "errands", name: "Errands", items: ["Milk", "Bread"])
/// print(errands.items.count, errands.indexTitle ?? "")  // 2 E
/// ```
///
/// A value: copying takes constant time, and a copy never changes with the original.
public struct Section<Item: Sendable>: Identifiable, Sendable {
  @usableFromInline var info: SectionInfo
  @usableFromInline var rows: Items

  @inlinable init(info: SectionInfo, items: Items) {
    self.info = info
    rows = items
  }

  /// Creates a section whose index title is the first letter of its name.
  ///
  /// - Parameters:
  ///   - id: Identifies the section from one list to the next.
  ///   - name: The title for users.
  ///   - header: A text above the rows, if it is not the name.
  ///   - footer: A text below the rows.
  ///   - items: The rows, in order.
  @inlinable public init(
    id: SectionID, name: String, header: String? = nil, footer: String? = nil, items: some Sequence<Item>
  ) {
    self.init(
      info: SectionInfo(id: id, name: name, givenIndexTitle: nil, header: header, footer: footer),
      items: Items(items))
  }

  /// Creates a section with its own index title, or with none.
  ///
  /// - Parameters:
  ///   - id: Identifies the section from one list to the next.
  ///   - name: The title for users.
  ///   - indexTitle: The section's title in an index at the list's edge; nil leaves it out there.
  ///   - header: A text above the rows, if it is not the name.
  ///   - footer: A text below the rows.
  ///   - items: The rows, in order.
  @inlinable public init(
    id: SectionID, name: String, indexTitle: String?, header: String? = nil, footer: String? = nil,
    items: some Sequence<Item>
  ) {
    self.init(
      info: SectionInfo(id: id, name: name, givenIndexTitle: .some(indexTitle), header: header, footer: footer),
      items: Items(items))
  }

  /// The rows, from 0.
  @inlinable public var items: Items { rows }

  /// Identifies the section from one list to the next.
  public var id: SectionID { info.id }

  /// The title for users.
  public var name: String {
    get { info.name }
    set { info = info.with { $0.name = newValue } }
  }

  /// The section's title in an index at the list's edge; by default, the name's first letter in upper case, and nil if
  /// the name is empty.
  public var indexTitle: String? {
    get { info.indexTitle }
    set { info = info.with { $0.givenIndexTitle = .some(newValue) } }
  }

  /// A text above the rows, if it is not the name.
  public var header: String? {
    get { info.header }
    set { info = info.with { $0.header = newValue } }
  }

  /// A text below the rows.
  public var footer: String? {
    get { info.footer }
    set { info = info.with { $0.footer = newValue } }
  }
}

/// A section of a list, by a name that files which import SwiftUI can use: they have another `Section`.
public typealias ListSection = Section
