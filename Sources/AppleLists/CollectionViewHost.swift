#if canImport(UIKit) && !os(watchOS)
  public import DataSources
  public import UIKit

  /// Shows a list in a `UICollectionView`: its data source.
  ///
  /// This file was only type-checked on Linux, against declarations written after Apple's documentation. It was never
  /// run.
  ///
  /// ```swift
  /// import AppleLists
  /// import FetchedResults
  /// import UIKit
  ///
  /// @MainActor func show(
  ///   _ controller: FetchedResultsController<Item>, in collectionView: UICollectionView
  /// ) -> ListAdapter<FetchedResultsController<Item>, CollectionViewHost> {
  ///   let cells = UICollectionView.CellRegistration<UICollectionViewListCell, Item> { cell, _, item in
  ///     var content = cell.defaultContentConfiguration()
  ///     content.text = item.title
  ///     cell.contentConfiguration = content
  ///   }
  ///   let list = ListAdapter(
  ///     source: controller, presenter: .dequeuing(cells, in: collectionView), host: CollectionViewHost(collectionView))
  ///   list.follow()
  ///   return list
  /// }
  /// ```
  ///
  /// What ``TableViewHost`` says of delegates, index paths and windows applies here too. Keep the adapter: it keeps the
  /// host. Headers and footers that the layout asks for are list cells with the section's texts, unless
  /// ``supplementaryView`` makes others.
  @MainActor public final class CollectionViewHost: NSObject, @MainActor ListHost, UICollectionViewDataSource {
    /// The collection view.
    public let collectionView: UICollectionView

    /// The content to show.
    public weak var content: (any ListContent<UICollectionViewCell>)?

    /// Whether a changed item gets another cell, which can be of another kind. By default its cell is filled again in
    /// place, unless the presenter has several kinds of cells.
    public var replacesUpdatedCells = false

    /// Makes headers, footers and other views of the layout, in the place of list cells.
    public var supplementaryView: ((_ kind: String, _ indexPath: IndexPath) -> UICollectionReusableView)?

    private var numberOfKinds = 0
    private lazy var headers = supplements(of: UICollectionView.elementKindSectionHeader) { $0.header(ofSection: $1) }
    private lazy var footers = supplements(of: UICollectionView.elementKindSectionFooter) { $0.footer(ofSection: $1) }

    /// Becomes the data source of a collection view.
    public init(_ collectionView: UICollectionView) {
      self.collectionView = collectionView
      super.init()
      // UIKit refuses registrations that are made while it asks for a view.
      _ = (headers, footers)
      collectionView.dataSource = self
    }

    /// Registers a kind of cell with the collection view.
    public func register(_ registration: CellRegistration<UICollectionViewCell>) {
      collectionView.register(registration.type, forCellWithReuseIdentifier: registration.identifier)
      numberOfKinds += 1
      if numberOfKinds > 1 { replacesUpdatedCells = true }
    }

    /// A cell of the collection view.
    public func dequeue(_ identifier: String, for path: ItemPath) -> UICollectionViewCell {
      collectionView.dequeueReusableCell(withReuseIdentifier: identifier, for: IndexPath(path))
    }

    /// Reloads the collection view.
    public func reloadData() { collectionView.reloadData() }

    /// Shows a stage of a change as one batch.
    public func performBatch(_ stage: Changes, switchingContent: @escaping () -> Void) {
      guard collectionView.window != nil else {
        switchingContent()
        return collectionView.reloadData()
      }
      collectionView.performBatchUpdates { [self] in
        switchingContent()
        collectionView.deleteSections(IndexSet(stage.deletedSections))
        collectionView.insertSections(IndexSet(stage.insertedSections))
        for move in stage.movedSections { collectionView.moveSection(move.from, toSection: move.to) }
        collectionView.reloadSections(IndexSet(stage.updatedSections.map(\.from)))
        collectionView.deleteItems(at: stage.deletedItems.map { IndexPath($0) })
        collectionView.insertItems(at: stage.insertedItems.map { IndexPath($0) })
        for move in stage.movedItems { collectionView.moveItem(at: IndexPath(move.from), to: IndexPath(move.to)) }
        let updated = stage.updatedItems.map { IndexPath($0.from) }
        if replacesUpdatedCells {
          collectionView.reloadItems(at: updated)
        } else {
          collectionView.reconfigureItems(at: updated)
        }
      }
    }

    /// The number of sections.
    public func numberOfSections(in collectionView: UICollectionView) -> Int { content?.numberOfSections ?? 0 }

    /// The number of items in a section.
    public func collectionView(_ collectionView: UICollectionView, numberOfItemsInSection section: Int) -> Int {
      content?.numberOfItems(inSection: section) ?? 0
    }

    /// The cell of an item.
    public func collectionView(
      _ collectionView: UICollectionView, cellForItemAt indexPath: IndexPath
    ) -> UICollectionViewCell {
      content?.cell(at: ItemPath(indexPath)) ?? UICollectionViewCell()
    }

    /// The header or footer of a section, or what ``supplementaryView`` makes.
    public func collectionView(
      _ collectionView: UICollectionView, viewForSupplementaryElementOfKind kind: String, at indexPath: IndexPath
    ) -> UICollectionReusableView {
      if let supplementaryView { return supplementaryView(kind, indexPath) }
      let isHeader = kind == UICollectionView.elementKindSectionHeader
      guard isHeader || kind == UICollectionView.elementKindSectionFooter else {
        fatalError("the layout asks for a view of the kind \(kind); set supplementaryView to make it")
      }
      return collectionView.dequeueConfiguredReusableSupplementary(using: isHeader ? headers : footers, for: indexPath)
    }

    private func supplements(
      of kind: String, _ text: @escaping (any ListContent<UICollectionViewCell>, Int) -> String?
    ) -> UICollectionView.SupplementaryRegistration<UICollectionViewListCell> {
      UICollectionView.SupplementaryRegistration(elementKind: kind) { [weak self] cell, _, indexPath in
        var configuration = cell.defaultContentConfiguration()
        configuration.text = self?.content.flatMap { text($0, indexPath.section) }
        cell.contentConfiguration = configuration
      }
    }
  }

  extension CellPresenter where Cell == UICollectionViewCell {
    /// Creates a presenter of a collection view's own cell registration. See ``CollectionViewHost``.
    @MainActor public static func dequeuing<Kind: UICollectionViewCell>(
      _ registration: UICollectionView.CellRegistration<Kind, Item>, in collectionView: UICollectionView
    ) -> CellPresenter {
      CellPresenter(registrations: []) { item, path, _ in
        collectionView.dequeueConfiguredReusableCell(using: registration, for: IndexPath(path), item: item)
      }
    }
  }
#endif
