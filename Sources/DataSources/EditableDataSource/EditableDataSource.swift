/// A data source whose list may be edited.
///
/// Every edit publishes one ``Update``, or none when it leaves the list as it was. Edits stand in line: they may come from any
/// thread, and from inside an observer.
///
/// ```swift
/// list.createSection(name: "Errands", items: ["Milk"])
/// list.append("Bread", toSection: 0)
/// list.move(from: ItemPath(section: 0, item: 1), to: ItemPath(section: 0, item: 0))
/// ```
///
/// Only ``edit(_:)`` is to be written; the rest is free. A place that is not there, a negative one included, is a mistake of
/// the caller's and stops the program; reading such a place gives nil.
public protocol EditableDataSource<Item>: DataSourceProtocol {
  /// Edits the list in any number of steps, and publishes them as one update.
  ///
  /// ```swift
  /// list.edit { draft in
  ///   draft.clear(section: 0)
  ///   draft.append(contentsOf: ["Milk", "Bread"], toSection: 0)
  /// }
  /// ```
  ///
  /// The body runs once, alone among the edits of this list, on the list as it is at that moment. Others read on meanwhile,
  /// and see the list as it was. When the body throws, nothing happens. Inside the body edit the draft: another edit of the
  /// same list would wait for this one for ever, and is refused.
  ///
  /// Other edits wait for the body, as for `Mutex.withLock`. So don't wait inside it for a lock that another thread may hold while
  /// that thread edits the same list. This includes what the body itself asks of items, such as ``Draft/remove(id:)``, and the
  /// `deinit` of items that come and go within it. A ``SectionController`` runs nothing else of the program's meanwhile: what
  /// changed is found, by the items' `id`, `==` and `hash`, and what goes is released when others may edit again. The edits that
  /// take no closure, such as ``append(_:toSection:)`` and ``replace(with:)``, run none of the items' code while others wait. The
  /// exception is an edit by id that 16 other edits of that row's place in a row get ahead of.
  ///
  /// - Returns: What the body returns.
  func edit<Result>(_ body: (inout Draft<Item>) throws -> Result) rethrows -> Result
}
