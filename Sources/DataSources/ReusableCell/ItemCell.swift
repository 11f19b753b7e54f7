/// A cell that can show an item itself.
///
/// ```swift
/// final class TaskCell: ItemCell {
///   private(set) var title = ""
///   func setData(_ task: Task) { title = task.title }
/// }
/// let presenter = CellPresenter<Task, TaskCell>.settingData(TaskCell.self)
/// ```
public protocol ItemCell<Item>: ReusableCell {
  /// The type of the item.
  associatedtype Item

  /// Shows an item instead of the previous one.
  func setData(_ item: Item)
}
