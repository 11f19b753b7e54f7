/// A cell of a list view: created once, and used for one row after another.
///
/// ```swift
/// final class ErrandCell: ReusableCell {
///   var title = ""
/// }
/// ErrandCell.reuseIdentifier  // "MyApp.ErrandCell"
/// ```
///
/// A view class of an Apple system can conform without changes, on the main actor, if it is final: `final class
/// ErrandCell: UITableViewCell, @MainActor ReusableCell {}`.
public protocol ReusableCell: AnyObject {
  /// The identifier under which a host keeps cells of this kind; by default, the type's full name.
  static var reuseIdentifier: String { get }

  /// Creates a cell that shows nothing yet.
  init()

  /// Clears the row that the cell showed, before it is reused. The default does nothing.
  ///
  /// ```swift
  /// final class PhotoCell: ReusableCell {
  ///   var bytes: [UInt8] = []
  ///   func prepareForReuse() { bytes = [] }
  /// }
  /// ```
  func prepareForReuse()
}

extension ReusableCell {
  /// The type's name with those of its enclosing types and module: `Inbox.Cell` is not `Archive.Cell`.
  public static var reuseIdentifier: String { String(reflecting: Self.self) }

  /// Does nothing.
  public func prepareForReuse() {}
}

/// A cell that can show an item itself.
///
/// ```swift
/// final class ErrandCell: ItemCell {
///   private(set) var title = ""
///   func setData(_ errand: Errand) { title = errand.title }
/// }
/// let presenter = CellPresenter<Errand, ErrandCell>.settingData(ErrandCell.self)
/// ```
public protocol ItemCell<Item>: ReusableCell {
  /// The type of the item.
  associatedtype Item

  /// Shows an item instead of the previous one.
  ///
  /// ```swift
  /// let cell = TextCell()
  /// cell.setData("Milk")
  /// ```
  func setData(_ item: Item)
}
