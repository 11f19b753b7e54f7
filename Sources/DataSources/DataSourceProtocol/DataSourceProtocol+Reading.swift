extension DataSourceProtocol {
  /// The number of sections.
  ///
  /// Complexity: O(1).
  public var numberOfSections: Int { snapshot.count }

  /// The number of rows in all sections.
  ///
  /// Complexity: O(1).
  public var numberOfItems: Int { snapshot.numberOfItems }

  /// Whether there is no row, regardless of the number of sections.
  public var isEmpty: Bool { snapshot.numberOfItems == 0 }

  /// The number of rows in a section; nil if there is no such section, also for negative numbers.
  ///
  /// ```swift
  /// source.numberOfItems(inSection: 0)   // 3
  /// source.numberOfItems(inSection: 99)  // nil
  /// ```
  ///
  /// Complexity: O(log n).
  public func numberOfItems(inSection section: Int) -> Int? { self.section(at: section)?.items.count }

  /// The row at a path; nil if not found.
  ///
  /// ```swift
  /// if let item = source.item(at: ItemPath(section: 0, item: 7)) { print(item.title) }
  /// ```
  ///
  /// Complexity: O(log n).
  public func item(at path: ItemPath) -> Item? { snapshot.item(at: path) }

  /// The section at an index; nil if not found.
  ///
  /// ```swift
  /// print(source.section(at: 0)?.items.count ?? 0)
  /// ```
  ///
  /// Complexity: O(log n).
  public func section(at index: Int) -> Section<Item>? {
    let snapshot = snapshot
    return snapshot.indices.contains(index) ? snapshot[index] : nil
  }

  /// The name of a section; nil if there is no such section.
  ///
  /// ```swift
  /// let titles = (0..<source.numberOfSections).map { source.title(ofSection: $0) ?? "" }
  /// ```
  public func title(ofSection section: Int) -> String? { self.section(at: section)?.name }

  /// The text above the rows of a section: its header, or its name if it has no header; nil if there is no such
  /// section.
  ///
  /// ```swift
  /// print(source.header(ofSection: 0) ?? "")
  /// ```
  public func header(ofSection section: Int) -> String? {
    self.section(at: section).map { $0.header ?? $0.name }
  }

  /// The text below the rows of a section; nil if it has none, or if there is no such section.
  ///
  /// ```swift
  /// print(source.footer(ofSection: 0) ?? "")
  /// ```
  public func footer(ofSection section: Int) -> String? { self.section(at: section)?.footer }

  /// The titles for an index at the list's edge: the sections' index titles in order, each once.
  ///
  /// Complexity: O(number of sections).
  public var sectionIndexTitles: [String] {
    var seen: Set<String> = []
    return snapshot.compactMap(\.indexTitle).filter { seen.insert($0).inserted }
  }
}

extension DataSourceProtocol where Item: Identifiable {
  /// The path of the row with an id; nil if not found. If ids repeat, it is the first.
  ///
  /// ```swift
  /// if let path = errands.path(of: 7) { print("section \(path.section), row \(path.item)") }
  /// ```
  ///
  /// Complexity: that of ``Snapshot/path(of:)``.
  public func path(of id: Item.ID) -> ItemPath? { snapshot.path(of: id) }

  /// The row with an id; nil if not found.
  ///
  /// ```swift
  /// print(errands.item(withID: 7)?.title ?? "gone")
  /// ```
  ///
  /// Complexity: that of ``Snapshot/path(of:)``.
  public func item(withID id: Item.ID) -> Item? {
    let snapshot = snapshot
    return snapshot.path(of: id).flatMap { snapshot.item(at: $0) }
  }
}
