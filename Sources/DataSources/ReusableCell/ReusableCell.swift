/// A cell of a list view: made once, and used for one row after another.
///
/// ```swift
/// final class TaskCell: ReusableCell {
///   var title = ""
/// }
/// TaskCell.reuseIdentifier  // "MyApp.TaskCell"
/// ```
///
/// A view class of an Apple system conforms as it is, on the main actor, if it is final:
/// `final class TaskCell: UITableViewCell, @MainActor ReusableCell {}`.
public protocol ReusableCell: AnyObject {
  /// The name under which a host keeps cells of this kind: unless written, the type's full name.
  static var reuseIdentifier: String { get }

  /// Makes a cell that shows nothing yet.
  init()

  /// Forgets the row that the cell showed, before it is used for another. Unless written, it does nothing.
  func prepareForReuse()
}

extension ReusableCell {
  /// The type's name with those of the types and the module that it is in: `Inbox.Cell` is not `Archive.Cell`.
  public static var reuseIdentifier: String { String(reflecting: Self.self) }

  /// Does nothing.
  public func prepareForReuse() {}
}
