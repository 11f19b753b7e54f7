public import DataSources
import FetchedResultsSupport

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension IndexPath {
  /// The index path of a row, as table and collection views have it.
  ///
  /// ```swift
  /// import AppleLists
  ///
  /// let indexPath = IndexPath(ItemPath(section: 1, item: 4))
  /// let again = ItemPath(indexPath)
  /// ```
  public init(_ path: ItemPath) { self.init(indexes: [path.section, path.item]) }
}

extension ItemPath {
  /// The path of a row that a table or collection view names.
  ///
  /// An index path without exactly two indexes is a caller's mistake: it names no row.
  public init(_ indexPath: IndexPath) {
    require(indexPath.count == 2, "the index path \(Array(indexPath)) has no section and item")
    self.init(section: indexPath[0], item: indexPath[1])
  }
}
