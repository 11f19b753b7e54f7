public import FetchedResultsCore
import RowModel
public import SQLiteStore

extension FetchRequest {
  /// The rows of the request whose text matches a pattern; all of them if it is nil, as when nothing has been typed yet.
  ///
  /// ```swift
  /// let all = FetchRequest<Item>(orderBy: ["title"])
  /// controller.fetchRequest = all.matching(SearchPattern("kim's lett"), in: "item_search")
  /// ```
  ///
  /// - Parameter index: The name of an index that `Connection.createSearchIndex(_:on:columns:tokenizer:)` has created on
  ///   the entity's table; by default that of the table with `_search` behind it.
  public func matching(_ pattern: SearchPattern?, in index: String? = nil) -> FetchRequest {
    guard let pattern else { return self }
    let own = from.flatMap(FromClause.firstAlias) ?? SQL.unqualified(E.table)
    let index = index ?? SQL.unqualified(E.table) + "_search"
    return filtered(
      where: """
        \(identifier: own).rowid IN (SELECT rowid FROM \(identifier: index) WHERE \(identifier: index) MATCH \(pattern))
        """)
  }
}
