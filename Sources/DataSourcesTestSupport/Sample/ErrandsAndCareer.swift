public import DataSources

/// The sample on which every data source is tested: two sections of things to do, and lists derived from it at random.
///
/// ```swift
/// let source = SectionController(ErrandsAndCareer.list)
/// source.title(ofSection: 1)  // "Career"
/// ```
public enum ErrandsAndCareer {
  /// Errands, then Career.
  public static let list = Snapshot([
    Section(
      id: "Errands", name: "Errands",
      items: [
        Errand(id: 1, title: "Milk"), Errand(id: 2, title: "Bread", isDone: true), Errand(id: 3, title: "Post office"),
      ]),
    Section(
      id: "Career", name: "Career",
      items: [Errand(id: 4, title: "Call Ann"), Errand(id: 5, title: "Write the report")]),
  ])

  /// Which lists a source can show.
  ///
  /// ```swift
  /// let oneSection: ErrandsAndCareer.Shapes = [.emptySections]
  /// ```
  public struct Shapes: OptionSet, Sendable {
    /// The combination as bits.
    public let rawValue: Int

    /// Creates a combination from its bits.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// Lists of more sections than one, or of none.
    public static let anyNumberOfSections = Shapes(rawValue: 1 << 0)
    /// Sections without rows.
    public static let emptySections = Shapes(rawValue: 1 << 1)
    /// Sections in any order, not only in their original one.
    public static let reorderedSections = Shapes(rawValue: 1 << 2)
    /// Every list.
    public static let all: Shapes = [.anyNumberOfSections, .emptySections, .reorderedSections]
  }

  /// A list that results from another by some edits.
  ///
  /// ```swift
  /// var random = SeededGenerator(seed: 7)
  /// let next = ErrandsAndCareer.changed(ErrandsAndCareer.list, within: .all, using: &random)
  /// ```
  ///
  /// - Parameters:
  ///   - list: The list before.
  ///   - shapes: Which lists are allowed.
  ///   - random: The source of the choices.
  public static func changed(
    _ list: Snapshot<Errand>, within shapes: Shapes = .all, using random: inout some RandomNumberGenerator
  ) -> Snapshot<Errand> {
    var parts = list.map { (name: $0.name, rows: Array($0.items)) }
    for _ in 0..<Int.random(in: 1...4, using: &random) {
      edit(&parts, within: shapes, using: &random)
    }
    if !shapes.contains(.emptySections), shapes.contains(.anyNumberOfSections) { parts.removeAll { $0.rows.isEmpty } }
    return Snapshot(parts.map { Section(id: .text($0.name), name: $0.name, items: $0.rows) })
  }

  private static let names = ["Errands", "Career", "Garden", "House", "Later"]

  private static func edit(
    _ parts: inout [(name: String, rows: [Errand])], within shapes: Shapes,
    using random: inout some RandomNumberGenerator
  ) {
    let choice = Int.random(in: 0..<10, using: &random)
    let free = names.filter { name in !parts.contains { $0.name == name } }
    if shapes.contains(.anyNumberOfSections), choice == 0 || parts.isEmpty,
      let name = free.randomElement(using: &random)
    {
      // In the order of the names, unless any order is allowed.
      let rank = names.firstIndex(of: name) ?? 0
      let place = parts.firstIndex { (names.firstIndex(of: $0.name) ?? 0) > rank } ?? parts.count
      parts.insert((name, [newErrand(parts, using: &random)]), at: place)
      return
    }
    guard let section = parts.indices.randomElement(using: &random) else { return }
    let row = parts[section].rows.indices.randomElement(using: &random)
    switch (choice, row) {
    case (1, _) where shapes.contains(.anyNumberOfSections):
      parts.remove(at: section)
    case (2, _) where shapes.contains(.reorderedSections):
      let part = parts.remove(at: section)
      parts.insert(part, at: Int.random(in: 0...parts.count, using: &random))
    case (3, let row?):
      parts[section].rows.remove(at: row)
    case (4, let row?), (5, let row?):
      parts[section].rows[row].isDone.toggle()
    case (6, let row?), (7, let row?):
      let errand = parts[section].rows.remove(at: row)
      let target = parts.indices.randomElement(using: &random) ?? section
      parts[target].rows.insert(errand, at: Int.random(in: 0...parts[target].rows.count, using: &random))
    default:
      let errand = newErrand(parts, using: &random)
      parts[section].rows.insert(errand, at: Int.random(in: 0...parts[section].rows.count, using: &random))
    }
  }

  private static func newErrand(
    _ parts: [(name: String, rows: [Errand])], using random: inout some RandomNumberGenerator
  ) -> Errand {
    let taken = Set(parts.flatMap { $0.rows.map(\.id) })
    var id = Int64.random(in: 1...40, using: &random)
    while taken.contains(id) { id += 1 }
    return Errand(id: id, title: "Errand \(id)")
  }
}
