/// What a host may ask about its list.
///
/// ```swift
/// func numberOfRows(_ content: some ListContent) -> Int { content.offset(ofSection: content.numberOfSections) }
/// func header(_ content: some ListContent, at path: ItemPath) -> String {
///   (content.header(ofSection: path.section) ?? "") + " \(content.sectionID(at: path.section))"
/// }
/// func isShown(_ id: Int, _ content: some ListContent) -> Bool { content.path(ofItemID: id) != nil }
/// ```
///
/// Items have no type here: a host knows only cells. A ``ListAdapter``, which knows the item type, answers.
public protocol ListContent<Cell>: AnyObject {
  /// The type of the host's cells.
  associatedtype Cell

  /// The number of sections.
  var numberOfSections: Int { get }

  /// The number of rows in an existing section.
  func numberOfItems(inSection section: Int) -> Int

  /// The number of rows in all sections before one, which may be the end. The default counts them.
  func offset(ofSection section: Int) -> Int

  /// The path of the row at a position in the whole list; nil if not found. The default counts rows from the start.
  func path(atOffset offset: Int) -> ItemPath?

  /// The filled cell for an existing row.
  func cell(at path: ItemPath) -> Cell

  /// The id of an existing section.
  func sectionID(at section: Int) -> SectionID

  /// The text above the rows of a section: its header, or else its name; nil if that is empty.
  func header(ofSection section: Int) -> String?

  /// The text below the rows of a section; nil for none.
  func footer(ofSection section: Int) -> String?

  /// The titles for an index at the list's edge.
  var sectionIndexTitles: [String] { get }

  /// The first section with an index title; nil if not found.
  func section(forIndexTitle title: String) -> Int?

  /// The id of an existing row; nil if items have no ids.
  ///
  /// ```swift
  /// func id(at path: ItemPath, _ content: some ListContent) -> AnyHashable? { content.itemID(at: path) }
  /// ```
  func itemID(at path: ItemPath) -> AnyHashable?

  /// The path of the row with an id; nil if not found.
  func path(ofItemID id: AnyHashable) -> ItemPath?
}

extension ListContent {
  /// The number of rows in all sections before one, which may be the end.
  ///
  /// Complexity: O(number of sections); O(log n) in a ``ListAdapter``.
  public func offset(ofSection section: Int) -> Int {
    (0..<section).reduce(0) { $0 + numberOfItems(inSection: $1) }
  }

  /// The path of the row at a position in the whole list; nil if not found.
  ///
  /// Complexity: O(number of sections); O(log n) in a ``ListAdapter``.
  public func path(atOffset offset: Int) -> ItemPath? {
    var rest = offset
    for section in 0..<(offset < 0 ? 0 : numberOfSections) {
      let rows = numberOfItems(inSection: section)
      if rest < rows { return ItemPath(section: section, item: rest) }
      rest -= rows
    }
    return nil
  }
}
