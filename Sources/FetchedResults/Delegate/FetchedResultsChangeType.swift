/// What became of a row or a section, as a delegate is told it.
///
/// Between `controllerWillChangeContent` and `controllerDidChangeContent` a delegate is told first of sections, then of rows,
/// and a list view takes all of it as one batch. The calls come in the order of this table. *Old* places are those of the
/// list before the batch, *new* ones those of the list after it, as `UITableView` counts.
///
/// | told | index or `at` | `newIndexPath` | with the |
/// |---|---|---|---|
/// | section ``delete``, last to first | old | | old section |
/// | section ``insert``, first to last | new | | new section |
/// | section ``update``, first to last | old | | new section |
/// | row ``delete``, last to first | old | nil | old row |
/// | row ``insert``, first to last | nil | new | new row |
/// | row ``move``, by new place | old | new | new row |
/// | row ``update``, by new place | old | new | new row |
///
/// **Rows go and come with their section.** Nothing is told of a row that goes with a deleted section, comes with an inserted
/// one, or goes from the one to the other. A row that leaves a deleted section for one that stays is an insertion; one that
/// leaves a section that stays for an inserted one is a deletion. A row that only shifts is not told, be it that others came
/// before it or that its section has another index now.
///
/// **A section that moves** is deleted and inserted, and takes its rows along: no list view lets rows change in a section
/// that it moves.
///
/// **A section whose titles differ** is updated where nothing else happens in it, so a list may set its header or reload all of it.
/// Where rows change in it by the same step, it is deleted and inserted like one that moves, because a list that reloads a section
/// accepts no change of its rows beside that.
///
/// **A row that moves** is told once. It may have changed too, so show it anew. Its two paths can be equal, since they count in
/// different lists; it has moved all the same.
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
  /// It came.
  case insert
  /// It went.
  case delete
  /// A row changed places, and perhaps its content. Sections do not move.
  case move
  /// A row's content differs, or a section's titles do.
  case update
}
