public import DataSources

/// A host that counts as a table view does, and reports errors at which a table view would stop the program.
///
/// Before each batch, the content must be what is shown; after it, what the batch says. The host only asks for rows
/// that the batch names. It shows every row, like a view of unlimited height.
///
/// ```swift
/// let host = StrictListHost<TextCell> { cell in cell.text.text }
/// let errands = SectionController(["Milk"])
/// let adapter = ListAdapter(source: errands, presenter: .settingData(TextCell.self), host: host)
/// adapter.follow()
/// #expect(host.check() == [])
/// ```
public final class StrictListHost<Cell>: ListHost {
  /// The moments at which a host calls other code, or its owner's.
  ///
  /// ```swift
  /// let host = StrictListHost<TextCell> { cell in "\(cell.text)" }
  /// host.interruption = { (moment: StrictListHost<TextCell>.Moment) in print(moment) }
  /// ```
  public enum Moment: String, Hashable, Sendable, CaseIterable {
    /// A change begins.
    case updateWillBegin
    /// A batch has begun, and the content is the old one.
    case beforeSwitching
    /// The content is the new one, and the batch continues.
    case afterSwitching
    /// A change is complete.
    case updateDidEnd
    /// The host shows the content from its beginning.
    case reloadData
  }

  /// The content to show.
  public weak var content: (any ListContent<Cell>)?

  /// Called at each moment, as a delegate of the host would be.
  public var interruption: ((Moment) -> Void)?

  /// The shown rows.
  public var shown: [[String?]] { rows }

  /// The stages that the host has shown.
  public private(set) var batches: [Changes] = []

  /// The calls of the host, in order.
  public private(set) var moments: [Moment] = []

  /// The violations; empty otherwise.
  public private(set) var violations: [Violation] = []

  private var registrations: [String: CellRegistration<Cell>] = [:]
  /// The shown rows; nil for a row that must still be requested.
  private var rows: [[String?]] = []
  private var headers: [String?] = []
  private var isInBatch = false

  private let text: (Cell) -> String

  /// Creates a host without content.
  ///
  /// - Parameter text: What a cell shows. Rows are compared by it.
  public init(text: @escaping (Cell) -> String) { self.text = text }

  /// Registers a kind of cell.
  public func register(_ registration: CellRegistration<Cell>) {
    registrations[registration.identifier] = registration
  }

  /// A new cell. An identifier that was never registered stops the program.
  public func dequeue(_ identifier: String, for path: ItemPath) -> Cell {
    guard let registration = registrations[identifier] else {
      fatalError("no cell is registered under \"\(identifier)\"; there are \(registrations.keys.sorted())")
    }
    return registration.makeCell()
  }

  /// Shows the content from its beginning.
  public func reloadData() {
    expect(!isInBatch, "the content is reloaded inside a batch")
    arrive(at: .reloadData)
    rows = all()
    headers = rows.indices.map { content?.header(ofSection: $0) }
  }

  /// Records the moment.
  public func updateWillBegin() { arrive(at: .updateWillBegin) }

  /// Records the moment.
  public func updateDidEnd(_ changes: Changes) { arrive(at: .updateDidEnd) }

  /// Shows a stage, and compares the content's counts with those of the stage.
  public func performBatch(_ stage: Changes, switchingContent: () -> Void) {
    expect(!isInBatch, "a batch begins inside another one")
    isInBatch = true
    defer { isInBatch = false }
    batches.append(stage)
    arrive(at: .beforeSwitching)
    expect(counts() == rows.map(\.count), "the content is not the one that is shown", "\(counts()) before \(stage)")
    switchingContent()
    arrive(at: .afterSwitching)
    guard violations.isEmpty else { return }
    show(stage)
  }

  /// The violations so far, and those on the screen, compared with requesting everything.
  public func check() -> [Violation] {
    let all = all()
    expect(rows == all, "a row is out of date", "\(rows) is shown, but the list is \(all)")
    expect(headers == all.indices.map { content?.header(ofSection: $0) }, "a header is out of date")
    return violations
  }

  private func show(_ stage: Changes) {
    let after = counts()
    let sections = rows.count - stage.deletedSections.count + stage.insertedSections.count
    guard stage.fits(rows.map(\.count)) else {
      return expect(false, "the stage has places that are not there", "\(stage) for \(rows.map(\.count))")
    }
    guard after.count == sections else {
      return expect(false, "the counts do not add up", "\(stage) of \(rows.count) sections, then \(after.count)")
    }
    // Remove the old rows, insert the new ones, and request only what the batch names. Sections keep their remaining
    // rows.
    var moved: [ItemPath: String?] = [:]
    for move in stage.movedItems { moved[move.to] = rows[move.from.section][move.from.item] }
    for path in (stage.deletedItems + stage.movedItems.map(\.from)).sorted().reversed() {
      rows[path.section].remove(at: path.item)
    }
    var named: [ItemPath] = stage.updatedItems.map(\.to)
    var movedSections: [Int: ([String?], String?)] = [:]
    for move in stage.movedSections { movedSections[move.to] = (rows[move.from], headers[move.from]) }
    for section in (stage.deletedSections + stage.movedSections.map(\.from)).sorted().reversed() {
      rows.remove(at: section)
      headers.remove(at: section)
    }
    for section in (stage.insertedSections + movedSections.keys).sorted() {
      guard section <= rows.count else { return expect(false, "no such section after", "\(section)") }
      if let (its, header) = movedSections[section] {
        rows.insert(its, at: section)
        headers.insert(header, at: section)
      } else {
        rows.insert(Array(repeating: nil, count: after[section]), at: section)
        headers.insert(content?.header(ofSection: section), at: section)
        named += rows[section].indices.map { ItemPath(section: section, item: $0) }
      }
    }
    for path in (stage.insertedItems + moved.keys).sorted() {
      guard rows.indices.contains(path.section), path.item >= 0, path.item <= rows[path.section].count else {
        return expect(false, "no such row after", "\(path)")
      }
      rows[path.section].insert(moved[path] ?? nil, at: path.item)
      if moved[path] == nil { named.append(path) }
    }
    expect(after == rows.map(\.count), "the counts do not add up", "\(rows.map(\.count)) in the batch, \(after) after")
    guard violations.isEmpty else { return }
    for path in named {
      guard rows.indices.contains(path.section), rows[path.section].indices.contains(path.item) else {
        return expect(false, "no such row after", "\(path)")
      }
      rows[path.section][path.item] = shownText(path)
    }
    for section in stage.updatedSections.map(\.to) {
      guard rows.indices.contains(section) else { return expect(false, "no such section after", "\(section)") }
      rows[section] = rows[section].indices.map { shownText(ItemPath(section: section, item: $0)) }
      headers[section] = content?.header(ofSection: section)
    }
  }

  private func arrive(at moment: Moment) {
    moments.append(moment)
    interruption?(moment)
  }

  private func counts() -> [Int] {
    guard let content else { return [] }
    return (0..<content.numberOfSections).map(content.numberOfItems)
  }

  private func all() -> [[String?]] {
    counts().enumerated().map { section, count in (0..<count).map { shownText(ItemPath(section: section, item: $0)) } }
  }

  private func shownText(_ path: ItemPath) -> String? { content.map { text($0.cell(at: path)) } }

  private func expect(_ condition: Bool, _ rule: String, _ details: @autoclosure () -> String = "") {
    if !condition { violations.append(Violation(.acceptable, rule, details())) }
  }
}

extension Changes {
  /// Whether all old places are in a list of sections with these numbers of rows.
  fileprivate func fits(_ counts: [Int]) -> Bool {
    let sections = deletedSections + (movedSections + updatedSections).map(\.from)
    let rows = deletedItems + (movedItems + updatedItems).map(\.from)
    return sections.allSatisfy(counts.indices.contains)
      && rows.allSatisfy { counts.indices.contains($0.section) && (0..<counts[$0.section]).contains($0.item) }
      && Set(deletedSections + movedSections.map(\.from)).count == deletedSections.count + movedSections.count
      && Set(deletedItems + movedItems.map(\.from)).count == deletedItems.count + movedItems.count
  }
}
