extension Changes: CustomStringConvertible {
  /// The difference in words, such as `sections: deleted 2; rows: inserted [0, 3], moved [0, 1] → [1, 0]`. For long
  /// lists, the first few places and the number of the others.
  public var description: String {
    let sections = [
      Self.part("deleted", deletedSections), Self.part("inserted", insertedSections),
      Self.part("moved", movedSections), Self.part("updated", updatedSections),
    ].compactMap(\.self)
    let rows = [
      Self.part("deleted", deletedItems), Self.part("inserted", insertedItems),
      Self.part("moved", movedItems), Self.part("updated", updatedItems),
    ].compactMap(\.self)
    var parts: [String] = []
    if !sections.isEmpty { parts.append("sections: " + sections.joined(separator: ", ")) }
    if !rows.isEmpty { parts.append("rows: " + rows.joined(separator: ", ")) }
    return parts.isEmpty ? "no changes" : parts.joined(separator: "; ")
  }

  private static func part<Place: CustomStringConvertible>(_ word: String, _ places: [Place]) -> String? {
    if places.isEmpty { return nil }
    let shown = 8
    let text = places.prefix(shown).map(\.description).joined(separator: " ")
    return "\(word) \(text)" + (places.count > shown ? " and \(places.count - shown) more" : "")
  }
}
