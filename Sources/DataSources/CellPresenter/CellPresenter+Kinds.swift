import FetchedResultsSupport

extension CellPresenter {
  /// Creates a presenter that uses cells of one type, each filled by a closure.
  ///
  /// ```swift
  /// let presenter = CellPresenter<Errand, any LineCell>.configuring(TextCell.self) { cell, errand in
  ///   cell.text = StyledText(errand.title)
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - type: The type of the cells, which the host must be able to show.
  ///   - configure: Fills a cell with an item, completely: the cell may have shown another one before.
  public static func configuring<Kind: ReusableCell>(
    _ type: Kind.Type, _ configure: @escaping (_ cell: Kind, _ item: Item) -> Void
  ) -> CellPresenter {
    CellPresenter(
      registrations: [CellRegistration(type)],
      populate: dequeuing(Kind.reuseIdentifier, as: type, configure).populate)
  }

  /// Creates a presenter that uses cells of one type which can show the item themselves.
  ///
  /// ```swift
  /// let presenter = CellPresenter<String, any LineCell>.settingData(TextCell.self)
  /// ```
  public static func settingData<Kind: ItemCell>(_ type: Kind.Type) -> CellPresenter where Kind.Item == Item {
    configuring(type) { cell, item in cell.setData(item) }
  }

  /// Creates a presenter for cells that the host's owner has registered under an identifier, such as those of a nib or
  /// a storyboard.
  ///
  /// ```swift
  /// let presenter = CellPresenter<Errand, any LineCell>.dequeuing("errand", as: TextCell.self) { cell, errand in
  ///   cell.text = StyledText(errand.title)
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - identifier: The identifier with which the cells are requested.
  ///   - type: The type of the cells.
  ///   - configure: Fills a cell with an item, completely: the cell may have shown another one before.
  public static func dequeuing<Kind>(
    _ identifier: String, as type: Kind.Type, _ configure: @escaping (_ cell: Kind, _ item: Item) -> Void
  ) -> CellPresenter {
    CellPresenter(registrations: []) { item, path, dequeue in
      let cell = dequeue(identifier, path)
      guard let kind = cell as? Kind else {
        fatalError("the cell for \"\(identifier)\" is a \(Swift.type(of: cell)), not a \(Kind.self)")
      }
      configure(kind, item)
      return cell
    }
  }

  /// Creates a presenter that chooses among presenters by the item, for rows that look different.
  ///
  /// ```swift
  /// let open = CellPresenter<Errand, any LineCell>.configuring(TextCell.self) { $0.text = StyledText($1.title) }
  /// let done = CellPresenter<Errand, any LineCell>.configuring(TextCell.self) { $0.text = StyledText("✓ " + $1.title) }
  /// let presenter = CellPresenter.choosing(among: [open, done]) { errand in errand.isDone ? 1 : 0 }
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
}
