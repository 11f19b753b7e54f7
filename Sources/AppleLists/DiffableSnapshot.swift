#if canImport(UIKit) && !os(watchOS)
  public import UIKit
#elseif canImport(AppKit)
  public import AppKit
#endif

#if (canImport(UIKit) && !os(watchOS)) || canImport(AppKit)
  public import DataSources

  // This file was only type-checked on Linux, against declarations written after Apple's documentation. It was never
  // run.

  extension NSDiffableDataSourceSnapshot where SectionIdentifierType == SectionID {
    /// A list, by the ids of its sections and items. Ids must be unique, as they are in a list of a database.
    ///
    /// ```swift
    /// import AppleLists
    /// import FetchedResults
    /// import UIKit
    ///
    /// @MainActor func follow(
    ///   _ controller: FetchedResultsController<Item>, in dataSource: UITableViewDiffableDataSource<SectionID, Int64?>
    /// ) -> ObservationToken {
    ///   dataSource.apply(NSDiffableDataSourceSnapshot(controller.snapshot), animatingDifferences: false)
    ///   return controller.observe { update in dataSource.apply(NSDiffableDataSourceSnapshot(update)) }
    /// }
    /// ```
    ///
    /// Complexity: O(n), and the data source compares it with the one before in O(n): for long lists a host, such as
    /// ``TableViewHost``, is faster.
    public init<Item: Identifiable>(_ list: Snapshot<Item>) where ItemIdentifierType == Item.ID {
      self.init()
      appendSections(list.map(\.id))
      for section in list { appendItems(section.map(\.id), toSection: section.id) }
    }

    /// The list after an update. Rows that differ are configured again, and sections with other titles reloaded.
    ///
    /// Complexity: O(n).
    public init<Item: Identifiable>(_ update: Update<Item>) where ItemIdentifierType == Item.ID {
      self.init(update.new)
      let updated = update.changes.updatedItems.map { update.new[$0.to].id }
      #if canImport(UIKit)
        reconfigureItems(updated)
      #else
        reloadItems(updated)
      #endif
      reloadSections(update.changes.updatedSections.map { update.new[$0.to].id })
    }
  }
#endif
