/// The kind of change of a row or a section that a delegate receives.
///
/// Between `controllerWillChangeContent` and `controllerDidChangeContent` a delegate receives first the sections and
/// then the rows. A list view accepts all of them as one batch. The calls come in the order of this table. *Old*
/// indices and paths are those of the list before the batch, *new* ones those of the list after it, as `UITableView`
/// counts.
///
/// | change | index or `at` | `newIndexPath` | with the |
/// |---|---|---|---|
/// | section ``delete``, last to first | old | | old section |
/// | section ``insert``, first to last | new | | new section |
/// | section ``update``, first to last | old | | new section |
/// | row ``delete``, last to first | old | nil | old row |
/// | row ``insert``, first to last | nil | new | new row |
/// | row ``move``, by new path | old | new | new row |
/// | row ``update``, by new path | old | new | new row |
///
/// **Rows are inserted and deleted with their section.** There is no call for a row that is deleted with its section,
/// inserted with its section, or moves from a deleted to an inserted one. A row that moves from a deleted section to
/// one that stays is an insertion. A row that moves from a section that stays to an inserted one is a deletion. There
/// is no call for a row whose path changes only because other rows were inserted before it or because its section has
/// another index.
///
/// **A section that moves** is deleted and inserted, together with its rows: no list view accepts changes of rows in a
/// section that it moves.
///
/// **A section whose titles differ** is updated if nothing else happens in it, so a list may set its header or reload
/// all of it. If rows change in it in the same step, it is deleted and inserted like one that moves, because a list
/// that reloads a section accepts no change of its rows at the same time.
///
/// **A row that moves** is reported once. It may have changed too, so show it again. Its two paths can be equal,
/// because they count in different lists; it has moved all the same.
///
/// ```swift
/// func sign(_ type: FetchedResultsChangeType) -> String {
///   switch type {
///   case .insert: "+"
///   case .delete: "-"
///   case .move: ">"
///   case .update: "*"
///   }
/// }
/// ```
public enum FetchedResultsChangeType: Hashable, Sendable, CaseIterable {
  /// A row or section was inserted.
  case insert
  /// A row or section was deleted.
  case delete
  /// A row moved, and its content may have changed too. Sections do not move.
  case move
  /// A row's content or a section's titles differ.
  case update
}
