import FetchedResultsSupport

/// How to read a sectioned list from any kind of store: four closures that take the store as their first argument.
///
/// It holds no data itself, so one provider serves any number of stores. Together with a store it is a data source:
/// ``ProviderDataSource``.
///
/// ```swift
/// struct Library { var shelves: [[String]] }
/// let books = DataProvider<Library, String>(
///   numberOfSections: { $0.shelves.count },
///   numberOfItems: { $0.shelves[$1].count },
///   item: { $0.shelves[$1.section][$1.item] },
///   path: { library, book in
///     for (section, shelf) in library.shelves.enumerated() {
///       if let item = shelf.firstIndex(of: book) { return ItemPath(section: section, item: item) }
///     }
///     return nil
///   })
/// ```
public struct DataProvider<Store, Item: Sendable>: Sendable {
  /// The number of sections in a store.
  public var numberOfSections: @Sendable (_ store: Store) -> Int

  /// The number of items in a section of a store. It is called for sections from 0 to their number.
  public var numberOfItems: @Sendable (_ store: Store, _ section: Int) -> Int

  /// The item at a path, which must exist in the store.
  public var item: @Sendable (_ store: Store, _ path: ItemPath) -> Item

  /// The path of an item; nil if the store does not have it.
  public var path: @Sendable (_ store: Store, _ item: Item) -> ItemPath?

  /// Creates a provider from its four closures.
  public init(
    numberOfSections: @escaping @Sendable (_ store: Store) -> Int,
    numberOfItems: @escaping @Sendable (_ store: Store, _ section: Int) -> Int,
    item: @escaping @Sendable (_ store: Store, _ path: ItemPath) -> Item,
    path: @escaping @Sendable (_ store: Store, _ item: Item) -> ItemPath?
  ) {
    self.numberOfSections = numberOfSections
    self.numberOfItems = numberOfItems
    self.item = item
    self.path = path
  }

  /// The list in a store. A single section has the id `.none`; several sections have their indices as ids.
  ///
  /// - Parameters:
  ///   - store: The store to read.
  ///   - title: The name of a section; by default, sections have no names.
  ///
  /// Complexity: O(n).
  public func snapshot(of store: Store, title: (_ store: Store, _ section: Int) -> String = { _, _ in "" }) -> Snapshot<
    Item
  > {
    let count = numberOfSections(store)
    require(count >= 0, "a data provider counts \(count) sections; a store has 0 or more")
    return Snapshot(
      (0..<count).map { section in
        Section(
          id: count == 1 ? .none : .integer(Int64(section)), name: title(store, section),
          items: (0..<numberOfRows(store, section)).map { item(store, ItemPath(section: section, item: $0)) })
      })
  }
  private func numberOfRows(_ store: Store, _ section: Int) -> Int {
    let count = numberOfItems(store, section)
    require(count >= 0, "a data provider counts \(count) items in section \(section); a section has 0 or more")
    return count
  }
}

extension DataProvider where Store == [Item] {
  /// Reads an array as one section.
  ///
  /// An item's path is found by its id, or by `==` if items have no ids; if they have neither, no path is found. If ids
  /// repeat, the path of the first item with the id is found.
  ///
  /// ```swift
  /// let provider = DataProvider<[String], String>.singleSection
  /// provider.numberOfItems(["Milk", "Bread"], 0)  // 2
  /// ```
  public static var singleSection: DataProvider {
    DataProvider(
      numberOfSections: { _ in 1 },
      numberOfItems: { store, _ in store.count },
      item: { store, path in store[path.item] },
      path: { store, item in
        store.firstIndex { ItemTraits.areTheSame($0, item) }.map { ItemPath(section: 0, item: $0) }
      })
  }
}

extension DataProvider where Store == [[Item]] {
  /// Reads an array of arrays, each as a section.
  ///
  /// Paths are found as in ``DataProvider/singleSection``.
  ///
  /// ```swift
  /// let provider = DataProvider<[[String]], String>.multiSection
  /// provider.item([["Milk"], ["Call Ann"]], ItemPath(section: 1, item: 0))  // "Call Ann"
  /// ```
  public static var multiSection: DataProvider {
    DataProvider(
      numberOfSections: { $0.count },
      numberOfItems: { store, section in store[section].count },
      item: { store, path in store[path.section][path.item] },
      path: { store, item in
        for (section, items) in store.enumerated() {
          guard let index = items.firstIndex(where: { ItemTraits.areTheSame($0, item) }) else { continue }
          return ItemPath(section: section, item: index)
        }
        return nil
      })
  }
}
