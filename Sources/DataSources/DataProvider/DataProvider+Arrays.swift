extension DataProvider where Store == [Item] {
  /// Reads an array as one section.
  ///
  /// An item's path is found by its id, or by `==` if items have no ids; if they have neither, no path is found. The
  /// path of the item at a path is that path; if ids repeat, it is the first one.
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
