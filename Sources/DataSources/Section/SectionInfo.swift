/// Everything about a section except its rows, shared by the snapshots that have the section.
@usableFromInline final class SectionInfo: Sendable {
  struct Fields: Sendable {
    var id: SectionID
    var name: String
    /// The index title that the caller set, which may be "none"; nil if it follows from the name.
    var givenIndexTitle: String??
    var header: String?
    var footer: String?
  }

  private let fields: Fields

  init(_ fields: Fields) { self.fields = fields }

  @usableFromInline convenience init(
    id: SectionID, name: String, givenIndexTitle: String??, header: String?, footer: String?
  ) {
    self.init(Fields(id: id, name: name, givenIndexTitle: givenIndexTitle, header: header, footer: footer))
  }

  @usableFromInline var id: SectionID { fields.id }
  var name: String { fields.name }
  var header: String? { fields.header }
  var footer: String? { fields.footer }
  var givenIndexTitle: String?? { fields.givenIndexTitle }

  var indexTitle: String? {
    if let given = fields.givenIndexTitle { return given }
    return fields.name.first.map { $0.uppercased() }
  }

  /// The same with some fields changed.
  func with(_ change: (inout Fields) -> Void) -> SectionInfo {
    var fields = self.fields
    change(&fields)
    return SectionInfo(fields)
  }

  /// Whether users would see the same titles, regardless of the ids.
  @usableFromInline func readsLike(_ other: SectionInfo) -> Bool {
    self === other
      || (name == other.name && header == other.header && footer == other.footer && indexTitle == other.indexTitle)
  }
}
