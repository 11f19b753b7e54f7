/// Why a ``Patch`` does not fit a list.
public enum PatchError: Error, Hashable, Sendable {
  /// The list has another number of sections than the patch was made for.
  case numberOfSections(expected: Int, found: Int)
  /// The list has another number of rows than the patch was made for.
  case numberOfItems(expected: Int, found: Int)
  /// A section's index is outside the list.
  case noSection(Int)
  /// A row's path is outside the list.
  case noItem(ItemPath)
  /// The places in one part of the changes are not ascending, or one occurs twice.
  case notAscending(part: String)
  /// A section is deleted, inserted or moved twice.
  case sectionTwice(Int)
  /// An inserted section is in the list already, or is inserted twice.
  case sectionExists(SectionID)
  /// A row is deleted, inserted or moved twice.
  case itemTwice(ItemPath)
  /// A section is deleted, but the changes do not say what happens to all its rows.
  case rowsUntold(section: Int)
  /// An updated section is not the same section before and after.
  case anotherSection(SectionMove)
  /// An updated row is not the same row before and after.
  case anotherItem(ItemMove)
  /// The patch has fewer or more rows or sections than its changes name.
  case content(part: String, expected: Int, found: Int)
}

extension PatchError: CustomStringConvertible {
  /// The error in words.
  public var description: String {
    let reason =
      switch self {
      case .numberOfSections(let expected, let found): "it is for \(expected) sections, the list has \(found)"
      case .numberOfItems(let expected, let found): "it is for \(expected) rows, the list has \(found)"
      case .noSection(let section): "there is no section \(section)"
      case .noItem(let path): "there is no row \(path)"
      case .notAscending(let part): "\(part) is not ascending"
      case .sectionTwice(let section): "section \(section) is deleted or inserted twice"
      case .sectionExists(let id): "it inserts a section \(id), which the list has already"
      case .itemTwice(let path): "row \(path) is deleted or inserted twice"
      case .rowsUntold(let section): "section \(section) is deleted, but not all of its rows are listed"
      case .anotherSection(let move): "\(move) pairs two different sections"
      case .anotherItem(let move): "\(move) pairs two different rows"
      case .content(let part, let expected, let found): "\(part) should hold \(expected), but holds \(found)"
      }
    return "the patch does not fit: \(reason)"
  }
}
