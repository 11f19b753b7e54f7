/// What a format can't hold of exported items: each of them is read back as it was written, and compared.
///
/// Numbers, UUIDs, previous instances and times of creation and completion are not compared: this program has made
/// them.
public struct ExportLoss: Equatable, Sendable {
  /// Parts of an item.
  private enum Part: String, CaseIterable {
    case titles, lists, tags, priorities
    case due = "due dates"
    case recurrences
    case anchors = "starts of recurrences"
    case done = "marks"
    case notes
    case started = "start times"
    case waits = "dates to wait for"
    case archived = "places in the archive"
    case extra = "fields of other programs"
  }

  /// The number of items that are not held as a whole.
  public private(set) var items = 0
  private var parts: Set<Part> = []

  init() {}

  /// A sentence about it; nil if nothing is lost.
  public func sentence(about format: TransferFormat) -> String? {
    if items == 0 { return nil }
    let names = Part.allCases.filter(parts.contains).map(\.rawValue)
    let list = [names.dropLast().joined(separator: ", "), names.last ?? ""].filter { !$0.isEmpty }
    return "\(items == 1 ? "1 item has" : "\(items) items have") \(list.joined(separator: " or ")) "
      + "that \(format.rawValue) can't hold; --format json keeps everything"
  }

  /// Adds what differs in an item that was read back; nil if it was not found.
  mutating func add(_ item: ImportedItem, readAs read: ImportedItem?) {
    let lost = read.map { Self.differences(item, $0) } ?? [.titles]
    if lost.isEmpty { return }
    items += 1
    parts.formUnion(lost)
  }

  private static func differences(_ item: ImportedItem, _ read: ImportedItem) -> [Part] {
    var parts: [Part] = []
    func check(_ part: Part, _ isSame: Bool) { if !isSame { parts.append(part) } }
    check(.titles, item.title.isIdentical(to: read.title))
    check(.lists, (item.list ?? "").isIdentical(to: read.list ?? ""))
    check(.tags, item.tags.isIdentical(to: read.tags))
    check(.priorities, item.priority == read.priority)
    check(.due, item.due == read.due)
    check(.recurrences, item.every == read.every)
    // Without an anchor, the recurrence begins with the due date.
    let isAtDue = item.due.map { due in item.anchor.flatMap { Anchor($0) }?.isMoment(of: due) == true } ?? false
    check(.anchors, item.anchor == read.anchor || isAtDue)
    check(.done, item.done == read.done)
    check(.notes, item.notes.isIdentical(to: read.notes))
    check(.started, item.started == read.started)
    check(.waits, item.wait == read.wait)
    check(.archived, item.archived == read.archived)
    check(.extra, item.extra == read.extra)
    return parts
  }
}

extension [String] {
  /// Whether the texts are the same, byte by byte.
  func isIdentical(to other: [String]) -> Bool { elementsEqual(other) { $0.isIdentical(to: $1) } }
}

extension ImportedItem {
  /// An item as in an export.
  init(_ item: Item, previous: String?) throws {
    self.init(title: item.title)
    id = item.id
    uuid = item.uuid
    list = item.list
    tags = item.tags
    priority = item.priority
    due = item.due
    if case .instant? = item.due { dueDay = item.dueDay }
    every = item.every
    wait = item.wait
    if item.anchor != item.due?.description { anchor = item.anchor }
    self.previous = previous
    done = item.done
    created = item.created
    completed = item.completed
    started = item.started
    notes = item.notes
    archived = item.archived
    extra = try item.extraFields()
  }
}
