/// A data source whose list can be edited.
///
/// Every edit publishes one ``Update``, or none if it leaves the list as it was. Edits run one at a time. They may come
/// from any thread, and from inside an observer.
///
/// ```swift
/// let list = SectionController<String>()
/// list.createSection(name: "Errands", items: ["Milk"])
/// list.append("Bread", toSection: 0)
/// list.move(from: ItemPath(section: 0, item: 1), to: ItemPath(section: 0, item: 0))
/// ```
///
/// Only ``edit(_:)`` must be implemented; the rest has defaults. Editing at an index or path that doesn't exist, also a
/// negative one, is a caller's mistake and stops the program; reading there returns nil.
public protocol EditableDataSource<Item>: DataSourceProtocol {
  /// Edits the list in any number of steps, and publishes them as one update.
  ///
  /// ```swift
  /// let list = SectionController(["Milk"])
  /// list.edit { draft in
  ///   draft.clear(section: 0)
  ///   draft.append(contentsOf: ["Milk", "Bread"], toSection: 0)
  /// }
  /// ```
  ///
  /// The body runs once, on the current list, and no other edit of this list runs meanwhile. Readers continue, and see
  /// the list as it was. If the body throws, nothing changes. Inside the body edit the draft: another edit of the same
  /// list would wait for this one for ever, and is refused.
  ///
  /// Other edits wait for the body, as with `Mutex.withLock`. So don't wait inside it for a lock that another thread
  /// may hold while it edits the same list. This also applies to the items' code that the body itself calls, such as
  /// ``Draft/remove(id:)``, and to the `deinit` of items that are created and released in it. A ``SectionController``
  /// runs no other code of the program's meanwhile. It lets other edits continue before it determines the changes, with
  /// the items' `id`, `==` and `hash`, and before it releases old items. Edits that take no closure, such as
  /// ``append(_:toSection:)`` and ``replace(with:)``, run none of the items' code while others wait. The exception is
  /// an edit by id if other edits have changed that row's place 16 times in a row.
  ///
  /// - Returns: The result of the body.
  func edit<Result>(_ body: (inout Draft<Item>) throws -> Result) rethrows -> Result
}
