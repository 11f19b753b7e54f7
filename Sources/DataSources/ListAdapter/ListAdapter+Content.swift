import FetchedResultsSupport

extension ListAdapter: ListContent {
  /// The number of sections in the host's list.
  public var numberOfSections: Int { snapshot.count }

  /// The number of rows in a section of the host's list.
  public func numberOfItems(inSection section: Int) -> Int { snapshot[section].items.count }

  /// The number of rows in all sections before one of the host's list, or before the end.
  public func offset(ofSection section: Int) -> Int {
    require(
      section >= 0 && section <= snapshot.count,
      "section \(section) is out of range: the list has \(snapshot.count) sections")
    return snapshot.tree.weight(before: section)
  }

  /// The path of the row at a position in the host's whole list; nil if not found.
  public func path(atOffset offset: Int) -> ItemPath? { snapshot.path(atOffset: offset) }

  /// The cell for a row of the host's list, filled by the presenter.
  public func cell(at path: ItemPath) -> Host.Cell { presenter.cell(for: snapshot[path], in: host, at: path) }

  /// The id of a section of the host's list.
  public func sectionID(at section: Int) -> SectionID { snapshot[section].id }

  /// The text above the rows of a section: its header, or else its name; nil if that is empty.
  public func header(ofSection section: Int) -> String? {
    let section = snapshot[section]
    let header = section.header ?? section.name
    return header.isEmpty ? nil : header
  }

  /// The text below the rows of a section; nil for none.
  public func footer(ofSection section: Int) -> String? { snapshot[section].footer }

  /// The index titles of all sections in order, each once.
  public var sectionIndexTitles: [String] {
    var seen: Set<String> = []
    return snapshot.compactMap(\.indexTitle).filter { seen.insert($0).inserted }
  }

  /// The first section with an index title; nil if not found.
  public func section(forIndexTitle title: String) -> Int? { snapshot.firstIndex { $0.indexTitle == title } }

  /// The id of a row of the host's list; nil if items have no ids.
  public func itemID(at path: ItemPath) -> AnyHashable? { ItemTraits.id(of: snapshot[path]) }

  /// The path of the row with an id; nil if not found.
  public func path(ofItemID id: AnyHashable) -> ItemPath? { (snapshot as? any PathsByID)?.path(ofErasedID: id) }
}

/// Finds rows by ids whose type only the list knows.
private protocol PathsByID { func path(ofErasedID id: AnyHashable) -> ItemPath? }

extension Snapshot: PathsByID where Item: Identifiable {
  func path(ofErasedID id: AnyHashable) -> ItemPath? {
    (id.base as? Item.ID ?? integer(id.base)).flatMap { path(of: $0) }
  }

  /// An integer of any type as an id of another one, as AnyHashable compares them.
  private func integer(_ value: Any) -> Item.ID? {
    guard let value = value as? any BinaryInteger else { return nil }
    let type = (Item.ID.self as? any AnyOptional.Type)?.wrappedType ?? Item.ID.self
    return (type as? any BinaryInteger.Type)?.converted(value) as? Item.ID
  }
}

extension BinaryInteger {
  fileprivate static func converted(_ value: some BinaryInteger) -> Any? { Self(exactly: value) }
}
