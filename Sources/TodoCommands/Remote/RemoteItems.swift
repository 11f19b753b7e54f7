import DataSources
import FetchedResultsSupport
import TerminalLists
package import TodoCore

/// A row of the live list of a service.
package struct RemoteLine: LineRow, Decodable {
  package let item: ItemLine
  package let id: Int64
  /// In the view by tag an item has a row for each of its tags.
  static let hasOneRowPerItem = false

  private enum Field: String, CodingKey {
    case id, key, title, list, tags, priority, due, every, done, started
  }

  package init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: Field.self)
    func text(_ field: Field) throws -> String? { try fields.decodeIfPresent(String.self, forKey: field) }
    item = ItemLine(
      id: try fields.decode(Int64.self, forKey: .id), title: try fields.decode(String.self, forKey: .title),
      list: try fields.decode(String.self, forKey: .list),
      tags: try fields.decodeIfPresent([String].self, forKey: .tags) ?? [],
      priority: try text(.priority).flatMap { Priority(name: $0) }, due: try text(.due).flatMap { Due(iso: $0) },
      every: try text(.every).flatMap(Recurrence.init(rawValue:)),
      done: try fields.decodeIfPresent(Bool.self, forKey: .done) ?? false, isStarted: try text(.started) != nil)
    id = try fields.decodeIfPresent(Int64.self, forKey: .key) ?? item.id
  }
}

/// The items of a service on the screen of `todo watch`: its live list, and its commands for everything else.
final class RemoteItems: WatchedItems {
  private struct Page: Sendable {
    var id: Int64
    var columns: Int
    var time: UInt64
    var lines: Result<[String], TodoError>
    var isRefreshing = false
  }

  private let service: any RemoteService
  private let view: (name: String, view: ItemView)
  /// The filter of the command line, as a typed line.
  private let filter: String
  private let status: Filter.Status?
  private let page = Locked<Page?>(nil)

  /// How long details are shown before they are asked for again.
  private static let patience: UInt64 = 2_000_000_000
  /// How long a command and its answer may take: no key does anything meanwhile.
  private static let patienceWithCommands = Duration.seconds(5)

  /// Asks the service whether it understands the list, so that an error comes before the screen.
  init(_ invocation: Invocation, _ service: any RemoteService) throws {
    self.service = service
    status = try ListCommand.status(invocation)
    var words = try invocation.choices
    let day = words.first.flatMap(DayList.init(rawValue:))
    if day != nil { words.removeFirst() }
    let said = try invocation.value(.by).map { name throws(TodoError) in try ItemView(name: name) }
    let named = try said ?? Settings.current.get().view
    view = day.map { ($0.rawValue, $0 == .next ? .next : .agenda) } ?? (named.rawValue, named)
    let texts = invocation.values(.text).flatMap { $0.split(separator: " ") }.map { "text:\($0)" }
    filter = (words.map { $0.contains(where: \.isWhitespace) ? TypedLine.quoted($0) : $0 } + texts)
      .joined(separator: " ")
    _ = try run(["list", "--json", "--limit", "0"] + words)
  }

  var moment: Moment { .ofUser }
  func waiting() throws(TodoError) -> WaitingItems? { nil }

  func rows(
    _ query: ListQuery, typed: String, in table: TerminalTable, _ marks: Marks, _ look: ItemCell.Look
  ) throws -> any ShownList {
    let parts = [filter, typed].filter { !$0.allSatisfy(\.isWhitespace) }
    let all = parts.count > 1 ? parts.map { "( \($0) )" } : parts
    let words = all.joined(separator: " ")
    // Days are those of this terminal, as in the commands.
    let zone = "\(Platform.zoneName ?? "local") \(LocalZone.system.offset(at: .now))"
    var parameters = [("view", view.name), ("filter", words), ("zone", zone)]
    if query.view != view.view { parameters.append(("by", query.view.rawValue)) }
    if query.sort != nil || query.isReversed {
      parameters.append(("sort", (query.isReversed ? "-" : "") + (query.sort?.rawValue ?? "")))
    }
    if let status { parameters.append(("status", "\(status)")) }
    let (source, news) = try Blocking.run { [service, parameters] in try await service.rows(parameters) }
    return ShownRows(source, news, in: table, marks: marks, cells: look, wake: SignalPipe.wake)
  }

  func savedFilter(_ name: String) throws(TodoError) -> [String] {
    let filters = try json(["filter"])["filters"]?.array ?? []
    guard let filter = filters.first(where: { $0.object?["name"]?.string == name }) else {
      return try noSavedFilters(name)
    }
    return filter.object?["words"]?.array?.compactMap(\.string) ?? []
  }

  func listNames() throws(TodoError) -> [String] {
    try json(["lists"])["lists"]?.array?.compactMap { $0.object?["name"]?.string } ?? []
  }

  /// Those that the filter of the command line finds: the other part of a filter is typed, and hides them.
  func matching(_ ids: Set<Int64>, _ filter: Filter) -> Set<Int64> {
    if ids.isEmpty { return [] }
    let words = TypedLine.split(self.filter).map(\.text)
    guard let found = try? items(["show"] + ids.sorted().map { "\($0)-\($0)" } + words) else { return ids }
    return Set(
      found.filter { item in
        (status == .archived || status == .all || item["done"] == .bool(status == .done))
          && item["archived"] == .bool(status == .archived)
      }.compactMap { $0["id"]?.integer })
  }

  func title(of id: Int64) throws(TodoError) -> String { try items(["show", "\(id)"]).first?["title"]?.string ?? "" }

  func details(of id: Int64, on screen: Screen) throws -> [StyledText] {
    let columns = screen.width ?? 80
    let (known, isOld) = page.withLock { page -> (Page?, Bool) in
      guard let known = page, known.id == id, known.columns == columns else { return (nil, false) }
      let isOld = !known.isRefreshing && MonotonicClock.now() >= known.time + Self.patience
      if isOld { page?.isRefreshing = true }
      return (known, isOld)
    }
    if isOld {
      // Keys go on meanwhile.
      Task {
        let lines = await self.lines(of: id, columns)
        page.withLock { page in
          guard let known = page, known.id == id, known.columns == columns, known.isRefreshing else { return }
          page = Page(id: id, columns: columns, time: MonotonicClock.now(), lines: lines)
        }
        SignalPipe.wake()
      }
    }
    if let known { return try known.lines.get().map { StyledText($0) } }
    let lines = try Blocking.run { await self.lines(of: id, columns) }
    page.withLock { $0 = Page(id: id, columns: columns, time: MonotonicClock.now(), lines: lines) }
    return try lines.get().map { StyledText($0) }
  }

  private func lines(of id: Int64, _ columns: Int) async -> Result<[String], TodoError> {
    do throws(TodoError) {
      return .success(try await output(["show", "\(id)"], columns).split(separator: "\n").map(String.init))
    } catch {
      return .failure(error)
    }
  }

  func areAll(_ selection: Selection, _ state: ItemState) throws(TodoError) -> Bool {
    try items(["show"] + selection.words).allSatisfy { item in
      switch item[state.rawValue] {
      case nil, .null?, .bool(false)?: false
      default: true
      }
    }
  }

  func change(_ selection: Selection, _ change: WatchChange) throws(TodoError) -> WatchResult {
    try changed(change.command(selection.words))
  }

  func add(_ line: String, to list: String?) throws(TodoError) -> WatchResult {
    var line = line
    if let list, try Attributes(line: line, at: moment).list == nil { line += " list:\(TypedLine.quoted(list))" }
    return try changed(["add"] + (line.hasPrefix("-") ? ["--"] : []) + [line])
  }

  func nextChange(isUndo: Bool) throws(TodoError) -> ChangeRecord? {
    let changes = try json(["log", "--limit", "100"])["changes"]?.array?.compactMap(\.object) ?? []
    let found = changes.first { ($0["kind"]?.string != "undo") == isUndo && $0["spent"] == .bool(false) }
    guard let found, let revision = found["revision"]?.integer, let label = found["label"]?.string else { return nil }
    return ChangeRecord(
      revision: revision, label: label, made: found["made"]?.string.flatMap { Instant(iso: $0) } ?? .now)
  }

  func takeBack(isUndo: Bool, _ revision: Int64) throws(TodoError) -> WatchResult {
    try changed([isUndo ? "undo" : "redo", Flag.only.name, "\(revision)"])
  }

  // MARK: Commands

  /// What a command prints, as JSON or for a screen. Throws its error.
  private func output(_ arguments: [String], _ columns: Int? = nil) async throws(TodoError) -> String {
    var variables = try Caller.variables()
    variables.removeAll { [.terminals, .terminal].contains($0.0) }
    variables.append((.terminals, "- \(columns.map(String.init) ?? "-") -"))
    let bytes = RemoteRequest(arguments, variables, input: []).bytes
    do {
      guard let answer = RemoteAnswer(try await service.post(bytes, within: Self.patienceWithCommands)) else {
        throw TodoError.inputOutput("the service has sent no answer of a command")
      }
      if answer.code == 0 { return String(decoding: answer.output, as: UTF8.self) }
      let message = String(decoding: answer.errors, as: UTF8.self).split(separator: "\n").joined(separator: " ")
      let sentence = message.hasPrefix("todo: ") ? String(message.dropFirst(6)) : message
      throw answer.code == TodoError.noSuchItem("").exitCode
        ? TodoError.noSuchItem(sentence) : answer.code == 64 ? .usage(sentence) : .failure(sentence)
    } catch {
      throw TodoError(error)
    }
  }

  private func run(_ arguments: [String]) throws(TodoError) -> String {
    do { return try Blocking.run { try await self.output(arguments) } } catch { throw TodoError(error) }
  }

  private func json(_ arguments: [String]) throws(TodoError) -> JSONObject {
    // Before --, which may be among them.
    let text = try run(["--json"] + arguments)
    guard let object = try? JSONValue.parse(Array(text.utf8)).object else {
      throw .inputOutput("the service has sent no JSON; its version may be another one")
    }
    return object
  }

  private func items(in object: JSONObject) -> [JSONObject] {
    (object["sections"]?.array ?? []).flatMap { $0.object?["items"]?.array ?? [] }.compactMap(\.object)
  }

  private func items(_ arguments: [String]) throws(TodoError) -> [JSONObject] { items(in: try json(arguments)) }

  private func changed(_ arguments: [String]) throws(TodoError) -> WatchResult {
    let object = try json(arguments)
    page.withLock { $0 = nil }
    let items = items(in: object)
    let titles = items.compactMap { $0["title"]?.string }
    let more = titles.count > 1 ? " and \(titles.count - 1) more" : ""
    let first = items.first.flatMap { item in
      item["id"]?.integer.map { ($0, item["title"]?.string ?? "", item["list"]?.string ?? "") }
    }
    return WatchResult(
      revision: object["revision"]?.integer ?? 0, label: titles.first.map { "\(arguments[0]) \"\($0)\"\(more)" },
      ids: Set(items.compactMap { $0["id"]?.integer }), first: first)
  }
}

extension Selection {
  /// The numbers, as they are typed.
  fileprivate var words: [String] {
    ids.map { $0.count == 1 ? "\($0.lowerBound)" : "\($0.lowerBound)-\($0.upperBound)" }
  }
}

extension WatchChange {
  /// The command that does it to items.
  fileprivate func command(_ items: [String]) -> [String] {
    switch self {
    case .state(.done, let isSo): return [isSo ? "done" : "undone"] + items
    case .state(.started, let isSo): return [isSo ? "start" : "stop"] + items
    case .state(.archived, let isSo): return ["archive"] + (isSo ? [] : ["--restore"]) + items
    case .remove: return ["rm"] + items
    case .priority(let priority): return ["edit"] + items + ["pri:\(priority?.name ?? "none")"]
    case .move(.before(let id)): return ["move"] + items + ["--before", "\(id)"]
    case .move(.after(let id)): return ["move"] + items + ["--after", "\(id)"]
    case .move(.first(let list)): return ["move"] + items + ["--first"] + (list.map { ["--to", $0] } ?? [])
    case .move(.last(let list)): return ["move"] + items + (list.map { ["--to", $0] } ?? ["--last"])
    case .property(let property, let text): return command(items, property, String(Substring(text).trimmed))
    }
  }

  private func command(_ items: [String], _ property: ItemProperty, _ text: String) -> [String] {
    switch property {
    // A word that is a number or begins with a hyphen would be an item or a flag.
    case .words:
      let isText = text.hasPrefix("-") || text.first?.isNumber == true && !text.contains(where: \.isWhitespace)
      return ["edit"] + items + (isText ? ["--"] : []) + [text]
    case .due: return ["edit"] + items + [ItemProperty.dueToken(text)]
    case .tags:
      let (added, removed) = ItemProperty.tags(text)
      return ["tag"] + items + added.map { "@\($0)" } + removed.map { "--remove=\($0)" }
    case .note: return ["note"] + items + ["--", text]
    case .list: return ["move"] + items + ["--to", ItemProperty.listName(text)]
    }
  }
}
