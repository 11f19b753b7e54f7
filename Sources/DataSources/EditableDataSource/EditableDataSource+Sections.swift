extension EditableDataSource {
  /// Appends a new section, and returns its id: `.text(name)`, with a number after it if that is taken.
  ///
  /// ```swift
  /// let id = list.createSection(name: "Errands", items: [order])
  /// ```
  @discardableResult public func createSection(
    name: String, items: [Item] = []
  ) -> SectionID {
    edit { $0.createSection(name: name, items: items) }
  }

  /// Appends a section.
  ///
  /// ```swift
  /// list.appendSection(Section(id: .integer(7), name: "Errands", items: [order]))
  /// ```
  public func appendSection(_ section: Section<Item>) {
    edit { $0.appendSection(section) }
  }

  /// Inserts a section at an index, from 0 to the number of sections.
  ///
  /// ```swift
  /// list.insertSection(Section(id: .integer(7), name: "Errands", items: []), at: 0)
  /// ```
  public func insertSection(_ section: Section<Item>, at index: Int) {
    edit { $0.insertSection(section, at: index) }
  }

  /// Removes a section with its rows, and returns it.
  ///
  /// ```swift
  /// let removed = list.removeSection(at: 0)
  /// ```
  @discardableResult public func removeSection(at index: Int) -> Section<Item> {
    edit { $0.removeSection(at: index) }
  }

  /// Moves a section with its rows. `target` is its index after the move.
  ///
  /// ```swift
  /// list.moveSection(from: 2, to: 0)
  /// ```
  public func moveSection(from source: Int, to target: Int) {
    edit { $0.moveSection(from: source, to: target) }
  }

  /// Renames a section. It stays the same section: its id does not change.
  ///
  /// ```swift
  /// list.renameSection(at: 0, to: "Shopping")
  /// ```
  public func renameSection(at index: Int, to name: String) {
    edit { $0.renameSection(at: index, to: name) }
  }

  /// Sets the text above the rows of a section; nil for its name.
  ///
  /// ```swift
  /// list.setHeader("Until Friday", ofSection: 0)
  /// ```
  public func setHeader(_ header: String?, ofSection index: Int) {
    edit { $0.setHeader(header, ofSection: index) }
  }

  /// Sets the text below the rows of a section; nil for none.
  ///
  /// ```swift
  /// list.setFooter("3 of 7 done", ofSection: 0)
  /// ```
  public func setFooter(_ footer: String?, ofSection index: Int) {
    edit { $0.setFooter(footer, ofSection: index) }
  }

  /// Removes everything: no section is left.
  public func clear() {
    edit { $0.clear() }
  }

  /// Replaces the whole list, as one update with the difference between the two.
  ///
  /// ```swift
  /// list.replace(with: Snapshot([Section(id: "today", name: "Today", items: [order, gift])]))
  /// ```
  public func replace(with snapshot: Snapshot<Item>) {
    edit { $0.replace(with: snapshot) }
  }
}
