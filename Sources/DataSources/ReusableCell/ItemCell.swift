/// A cell that knows how to show the item it is given.
///
/// ```swift
/// final class TaskCell: ItemCell {
///   private(set) var title = ""
///   func setData(_ task: Task) { title = task.title }
/// }
/// let presenter = CellPresenter<Task, TaskCell>.settingData(TaskCell.self)
/// ```
public protocol ItemCell<Item>: ReusableCell {
  /// What the cell shows.
  associatedtype Item

  /// Shows an item in place of the one before.
  func setData(_ item: Item)
}
