extension CellPresenter {
  /// Uses cells of one type, and fills each by a closure.
  ///
  /// ```swift
  /// CellPresenter<Task, any LineCell>.configuring(TextCell.self) { cell, task in cell.text = StyledText(task.title) }
  /// ```
  ///
  /// - Parameters:
  ///   - type: The type of the cells, which must be one that the host shows.
  ///   - configure: Fills a cell with an item, wholly: the cell may have shown another one before.
  public static func configuring<Kind: ReusableCell>(
    _ type: Kind.Type, _ configure: @escaping (_ cell: Kind, _ item: Item) -> Void
  ) -> CellPresenter {
    CellPresenter(registrations: [CellRegistration(type)]) { item, path, dequeue in
      let cell = dequeue(Kind.reuseIdentifier, path)
      // What comes back was put in under this identifier; the host's type of cell says less than we know.
      guard let kind = cell as? Kind else {
        fatalError("the cell for \"\(Kind.reuseIdentifier)\" is a \(Swift.type(of: cell)), not a \(Kind.self)")
      }
      configure(kind, item)
      return cell
    }
  }

  /// Uses cells of one type that know how to show the item.
  ///
  /// ```swift
  /// CellPresenter<String, any LineCell>.settingData(TextCell.self)
  /// ```
  public static func settingData<Kind: ItemCell>(_ type: Kind.Type) -> CellPresenter where Kind.Item == Item {
    configuring(type) { cell, item in cell.setData(item) }
  }

  /// Chooses among presenters by the item, where rows look different.
  ///
  /// ```swift
  /// CellPresenter.choosing(among: [open, done]) { task in task.isDone ? 1 : 0 }
  /// ```
  ///
  /// - Parameters:
  ///   - presenters: The presenters to choose among.
  ///   - choice: The index of the presenter for an item.
  public static func choosing(
    among presenters: [CellPresenter], by choice: @escaping (_ item: Item) -> Int
  ) -> CellPresenter {
    CellPresenter(registrations: presenters.flatMap(\.registrations)) { item, path, dequeue in
      let index = choice(item)
      require(
        presenters.indices.contains(index),
        "presenter \(index) was chosen for the row at \(path), but there are \(presenters.count)")
      return presenters[index].populate(item, path, dequeue)
    }
  }

  /// The same for items from which this presenter's item can be had.
  ///
  /// ```swift
  /// CellPresenter<String, any LineCell>.settingData(TextCell.self).pullback { (task: Task) in task.title }
  /// ```
  public func pullback<Other>(_ transform: @escaping (Other) -> Item) -> CellPresenter<Other, Cell> {
    CellPresenter<Other, Cell>(registrations: registrations) { other, path, dequeue in
      populate(transform(other), path, dequeue)
    }
  }
}
