public import FetchedResultsCore
import RowModel
public import SQLiteStore

extension FetchRequest {
  /// The rows of the request whose text matches a pattern; all of them if it is nil, as when nothing has been typed
  /// yet.
  ///
  /// ```swift
  /// let all = FetchRequest<Item>(orderBy: ["title"])
  /// controller.fetchRequest = all.matching(SearchPattern("kim's lett"), in: "item_search")
  /// ```
  ///
  /// - Parameter index: The name of an index that `Connection.createSearchIndex(_:on:columns:tokenizer:)` has created
  /// on
  ///   the entity's table, after that of the attached file and a dot if it is in one; by default the name of the table
  ///   with `_search` behind it.
  public func matching(_ pattern: SearchPattern?, in index: String? = nil) -> FetchRequest {
    guard let pattern else { return self }
    let own = from.flatMap(FromClause.firstAlias) ?? SQL.unqualified(E.table)
    // Of a table in an attached file, the index is there too.
    let index = index ?? E.table + "_search"
    let name = SQL.unqualified(index)
    let file = name == index ? "" : SQL.quoted(String(index.dropLast(name.count + 1))) + "."
    return filtered(
      where: """
        \(identifier: own).rowid IN (SELECT rowid FROM \(raw: file)\(identifier: name) WHERE \(identifier: name) MATCH \(pattern))
        """)
  }
}
