/// A section of a list: what it is called, and its rows.
///
/// A value: copying takes constant time, and a copy never changes with the original.
public struct Section<Item: Sendable>: Identifiable, Sendable {
  @usableFromInline var info: SectionInfo
  @usableFromInline var rows: Items

  @inlinable init(info: SectionInfo, items: Items) {
    self.info = info
    rows = items
  }

  /// Makes a section whose index title is the first letter of its name.
  ///
  /// - Parameters:
  ///   - id: What makes it the same section in the next list.
  ///   - name: What people read.
  ///   - header: A text above the rows, where it is not the name.
  ///   - footer: A text below the rows.
  ///   - items: The rows, in order.
  @inlinable public init(
    id: SectionID, name: String, header: String? = nil, footer: String? = nil, items: some Sequence<Item>
  ) {
    self.init(
      info: SectionInfo(id: id, name: name, givenIndexTitle: nil, header: header, footer: footer),
      items: Items(items))
  }

  /// Makes a section with an index title of its own, or with none.
  ///
  /// - Parameters:
  ///   - id: What makes it the same section in the next list.
  ///   - name: What people read.
  ///   - indexTitle: What stands for the section in an index at the list's edge; nil leaves it out there.
  ///   - header: A text above the rows, where it is not the name.
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

  /// What makes it the same section from one list to the next.
  public var id: SectionID { info.id }

  /// What people read.
  public var name: String {
    get { info.name }
    set { info = info.with { $0.name = newValue } }
  }

  /// What stands for the section in an index at the list's edge: unless given, the name's first letter, upper-cased,
  /// and nil where the name is empty.
  public var indexTitle: String? {
    get { info.indexTitle }
    set { info = info.with { $0.givenIndexTitle = .some(newValue) } }
  }

  /// A text above the rows, where it is not the name.
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
