extension EditableDataSource {
  /// Appends a new section, and returns its id: `.text(name)`, with a number after it if that is taken.
  @discardableResult public func createSection(
    name: String, items: [Item] = []
  ) -> SectionID {
    edit { $0.createSection(name: name, items: items) }
  }

  /// Appends a section.
  public func appendSection(_ section: Section<Item>) {
    edit { $0.appendSection(section) }
  }

  /// Inserts a section at an index, from 0 to the number of sections.
  public func insertSection(_ section: Section<Item>, at index: Int) {
    edit { $0.insertSection(section, at: index) }
  }

  /// Removes a section with its rows, and returns it.
  @discardableResult public func removeSection(at index: Int) -> Section<Item> {
    edit { $0.removeSection(at: index) }
  }

  /// Moves a section with its rows. `target` is its index after the move.
  public func moveSection(from source: Int, to target: Int) {
    edit { $0.moveSection(from: source, to: target) }
  }

  /// Renames a section. It stays the same section: its id does not change.
  public func renameSection(at index: Int, to name: String) {
    edit { $0.renameSection(at: index, to: name) }
  }

  /// Sets the text above the rows of a section; nil for its name.
  public func setHeader(_ header: String?, ofSection index: Int) {
    edit { $0.setHeader(header, ofSection: index) }
  }

  /// Sets the text below the rows of a section; nil for none.
  public func setFooter(_ footer: String?, ofSection index: Int) {
    edit { $0.setFooter(footer, ofSection: index) }
  }

  /// Removes everything: no section is left.
  public func clear() {
    edit { $0.clear() }
  }

  /// Replaces the whole list, as one update with the difference between the two.
  public func replace(with snapshot: Snapshot<Item>) {
    edit { $0.replace(with: snapshot) }
  }
}
