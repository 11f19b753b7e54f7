/// What a host may ask about what it shows.
///
/// Items have no type here: a host knows only cells. A ``ListAdapter``, which does know, answers.
public protocol ListContent<Cell>: AnyObject {
  /// What the host shows.
  associatedtype Cell

  /// The number of sections.
  var numberOfSections: Int { get }

  /// The number of rows in a section that is there.
  func numberOfItems(inSection section: Int) -> Int

  /// The number of rows in all sections before one, which may be the end. Unless written, it counts them.
  func offset(ofSection section: Int) -> Int

  /// The path of the row at a position in the whole list; nil where there is none. Unless written, it counts rows from the start.
  func path(atOffset offset: Int) -> ItemPath?

  /// The cell for a row that is there, filled.
  func cell(at path: ItemPath) -> Cell

  /// The id of a section that is there.
  func sectionID(at section: Int) -> SectionID

  /// What stands above the rows of a section: its header, or else its name; nil where that is empty.
  func header(ofSection section: Int) -> String?

  /// What stands below the rows of a section; nil for nothing.
  func footer(ofSection section: Int) -> String?

  /// What an index at the list's edge shows.
  var sectionIndexTitles: [String] { get }

  /// The id of a row that is there; nil where items have none.
  func itemID(at path: ItemPath) -> AnyHashable?

  /// The path of the row with an id; nil where there is none.
  func path(ofItemID id: AnyHashable) -> ItemPath?
}
