// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// Declarations of UIKit, so that examples and files for it can be type-checked on Linux. Nothing here does anything.
// Written after the pages below https://developer.apple.com/documentation/uikit that are named at each declaration.
//
// Swift on Linux has no optional requirements. Those of protocols are written as ordinary ones, without defaults: a
// method whose name or type is not the page's then fails to compile. On Apple's systems it would only never be called.

@_exported public import Foundation

// uiresponder
@MainActor open class UIResponder: NSObject {
  override nonisolated public init() {}
}

// uiview, uiview/window
open class UIView: UIResponder {
  open var window: UIWindow? { nil }
}

// uiwindow
open class UIWindow: UIView {}

// uicontentconfiguration
@MainActor @preconcurrency public protocol UIContentConfiguration {}

// uilistcontentconfiguration-swift.struct, …/text
@MainActor public struct UIListContentConfiguration: UIContentConfiguration {
  public var text: String?
}

// uinib
@MainActor open class UINib: NSObject {}

// MARK: Tables

// uitableviewcell: …/defaultcontentconfiguration(), …/contentconfiguration, …/prepareforreuse()
open class UITableViewCell: UIView {
  open func prepareForReuse() {}
  open func defaultContentConfiguration() -> UIListContentConfiguration { UIListContentConfiguration() }
  open var contentConfiguration: (any UIContentConfiguration)?
}

// uitableviewdatasource: its methods numberOfSections(in:), tableView(_:numberOfRowsInSection:) and so on
@MainActor public protocol UITableViewDataSource: NSObjectProtocol {
  func numberOfSections(in tableView: UITableView) -> Int
  func tableView(_ tableView: UITableView, numberOfRowsInSection section: Int) -> Int
  func tableView(_ tableView: UITableView, cellForRowAt indexPath: IndexPath) -> UITableViewCell
  func tableView(_ tableView: UITableView, titleForHeaderInSection section: Int) -> String?
  func tableView(_ tableView: UITableView, titleForFooterInSection section: Int) -> String?
  func sectionIndexTitles(for tableView: UITableView) -> [String]?
  func tableView(_ tableView: UITableView, sectionForSectionIndexTitle title: String, at index: Int) -> Int
}

// uitableview: a page below it for each member, such as uitableview/performbatchupdates(_:completion:)
open class UITableView: UIView {
  // uitableview/rowanimation
  public enum RowAnimation: Int, Sendable { case fade, right, left, top, bottom, none, middle, automatic = 100 }
  weak open var dataSource: (any UITableViewDataSource)?
  open func register(_ nib: UINib?, forCellReuseIdentifier identifier: String) {}
  open func register(_ cellClass: AnyClass?, forCellReuseIdentifier identifier: String) {}
  open func dequeueReusableCell(withIdentifier identifier: String, for indexPath: IndexPath) -> UITableViewCell {
    UITableViewCell()
  }
  open func reloadData() {}
  open func reloadSectionIndexTitles() {}
  open func performBatchUpdates(_ updates: (() -> Void)?, completion: ((Bool) -> Void)? = nil) {}
  open func insertSections(_ sections: IndexSet, with animation: RowAnimation) {}
  open func deleteSections(_ sections: IndexSet, with animation: RowAnimation) {}
  open func reloadSections(_ sections: IndexSet, with animation: RowAnimation) {}
  open func moveSection(_ section: Int, toSection newSection: Int) {}
  open func insertRows(at indexPaths: [IndexPath], with animation: RowAnimation) {}
  open func deleteRows(at indexPaths: [IndexPath], with animation: RowAnimation) {}
  open func reloadRows(at indexPaths: [IndexPath], with animation: RowAnimation) {}
  open func reconfigureRows(at indexPaths: [IndexPath]) {}
  open func moveRow(at indexPath: IndexPath, to newIndexPath: IndexPath) {}
}

// MARK: Collection views

// uicollectionreusableview
open class UICollectionReusableView: UIView {
  open func prepareForReuse() {}
}

// uicollectionviewcell, …/contentconfiguration
open class UICollectionViewCell: UICollectionReusableView {
  open var contentConfiguration: (any UIContentConfiguration)?
}

// uicollectionviewlistcell, …/defaultcontentconfiguration()
open class UICollectionViewListCell: UICollectionViewCell {
  open func defaultContentConfiguration() -> UIListContentConfiguration { UIListContentConfiguration() }
}

// uicollectionviewdatasource: its methods
@MainActor public protocol UICollectionViewDataSource: NSObjectProtocol {
  func numberOfSections(in collectionView: UICollectionView) -> Int
  func collectionView(_ collectionView: UICollectionView, numberOfItemsInSection section: Int) -> Int
  func collectionView(_ collectionView: UICollectionView, cellForItemAt indexPath: IndexPath) -> UICollectionViewCell
  func collectionView(
    _ collectionView: UICollectionView, viewForSupplementaryElementOfKind kind: String, at indexPath: IndexPath
  ) -> UICollectionReusableView
}

// uicollectionview: a page below it for each member
open class UICollectionView: UIView {
  // uicollectionview/elementkindsectionheader, …/elementkindsectionfooter
  public class var elementKindSectionHeader: String { "" }
  public class var elementKindSectionFooter: String { "" }
  weak open var dataSource: (any UICollectionViewDataSource)?
  open func register(_ nib: UINib?, forCellWithReuseIdentifier identifier: String) {}
  open func register(_ cellClass: AnyClass?, forCellWithReuseIdentifier identifier: String) {}
  open func dequeueReusableCell(withReuseIdentifier identifier: String, for indexPath: IndexPath)
    -> UICollectionViewCell
  { UICollectionViewCell() }
  open func reloadData() {}
  open func performBatchUpdates(_ updates: (() -> Void)?, completion: ((Bool) -> Void)? = nil) {}
  open func insertSections(_ sections: IndexSet) {}
  open func deleteSections(_ sections: IndexSet) {}
  open func reloadSections(_ sections: IndexSet) {}
  open func moveSection(_ section: Int, toSection newSection: Int) {}
  open func insertItems(at indexPaths: [IndexPath]) {}
  open func deleteItems(at indexPaths: [IndexPath]) {}
  open func reloadItems(at indexPaths: [IndexPath]) {}
  open func reconfigureItems(at indexPaths: [IndexPath]) {}
  open func moveItem(at indexPath: IndexPath, to newIndexPath: IndexPath) {}

  // uicollectionview/cellregistration, …/init(handler:), …/handler
  public struct CellRegistration<Cell: UICollectionViewCell, Item> {
    public typealias Handler = (Cell, IndexPath, Item) -> Void
    public init(handler: @escaping Handler) {}
  }
  // uicollectionview/dequeueconfiguredreusablecell(using:for:item:)
  @MainActor @preconcurrency public func dequeueConfiguredReusableCell<Cell: UICollectionViewCell, Item>(
    using registration: CellRegistration<Cell, Item>, for indexPath: IndexPath, item: Item?
  ) -> Cell { fatalError() }

  // uicollectionview/supplementaryregistration, …/init(elementkind:handler:), …/handler
  public struct SupplementaryRegistration<Supplementary: UICollectionReusableView> {
    public typealias Handler = (Supplementary, String, IndexPath) -> Void
    public init(elementKind: String, handler: @escaping Handler) {}
  }
  // uicollectionview/dequeueconfiguredreusablesupplementary(using:for:)
  @MainActor @preconcurrency
  public func dequeueConfiguredReusableSupplementary<Supplementary: UICollectionReusableView>(
    using registration: SupplementaryRegistration<Supplementary>, for indexPath: IndexPath
  ) -> Supplementary { fatalError() }
}

// MARK: Diffable data sources

// nsdiffabledatasourcesnapshot-swift.struct: a page below it for each member
public struct NSDiffableDataSourceSnapshot<
  SectionIdentifierType: Hashable & Sendable, ItemIdentifierType: Hashable & Sendable
>: Sendable {
  public init() {}
  public mutating func appendSections(_ identifiers: [SectionIdentifierType]) {}
  public mutating func appendItems(
    _ identifiers: [ItemIdentifierType], toSection sectionIdentifier: SectionIdentifierType? = nil
  ) {}
  public mutating func reloadSections(_ identifiers: [SectionIdentifierType]) {}
  public mutating func reconfigureItems(_ identifiers: [ItemIdentifierType]) {}
}

// uitableviewdiffabledatasource-2euir, …/apply(_:animatingdifferences:completion:)
@MainActor @preconcurrency
open class UITableViewDiffableDataSource<
  SectionIdentifierType: Hashable & Sendable, ItemIdentifierType: Hashable & Sendable
>: NSObject {
  @MainActor @preconcurrency open func apply(
    _ snapshot: NSDiffableDataSourceSnapshot<SectionIdentifierType, ItemIdentifierType>,
    animatingDifferences: Bool = true, completion: (() -> Void)? = nil
  ) {}
}

// foundation/indexpath: UIKit's additions
extension IndexPath {
  public init(row: Int, section: Int) { self.init(indexes: [section, row]) }
  public init(item: Int, section: Int) { self.init(indexes: [section, item]) }
  public var section: Int { self[0] }
  public var row: Int { self[1] }
  public var item: Int { self[1] }
}
