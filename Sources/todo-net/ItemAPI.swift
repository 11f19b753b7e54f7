import DataSources
import Dispatch
import FeedServer
import TodoCore

/// The JSON API, with the words of the command line: everything goes through the store, so `todo undo` takes it back.
struct ItemAPI: Sendable {
  let store: TodoStore
  let lists: LiveLists
  let access: Access
  /// The store blocks, which the threads of tasks must not.
  private let queue = DispatchQueue(label: "todo-net.store")

  init(store: TodoStore, lists: LiveLists, access: Access) {
    (self.store, self.lists, self.access) = (store, lists, access)
  }

  func add(to server: FeedServer) {
    server.feeds("/api/live", takesEdits: false, authorize: { access.refusal(of: $0) }) { request in
      do {
        if let places = request.query["lists"] { return try await LiveBundle(places, lists) }
        return try await lists.feed(Self.list(request))
      } catch {
        throw Self.response(TodoError(error))
      }
    }
    on(server, "GET", "/api/lists") { _, store in
      let lists: [JSONValue] = try store.lists().map {
        ["name": .string($0.name), "open": .integer($0.open), "total": .integer($0.total)]
      }
      return ok(["schema": 1, "lists": .array(lists)])
    }
    on(server, "GET", "/api/tags") { _, store in
      let tags: [JSONValue] = try store.statistics().tags.filter { $0.name != SectionNames.untagged }.map {
        ["name": .string($0.name), "open": .integer($0.open)]
      }
      return ok(["schema": 1, "tags": .array(tags)])
    }
    on(server, "GET", "/api/items") { request, store in
      var bytes: [UInt8] = []
      try withUnsafeMutablePointer(to: &bytes) { bytes in
        let offset = try Self.count("offset", request) ?? 0
        var writer = ListPage(behind: offset, JSONListWriter { bytes.pointee += $0 })
        var query = try Self.list(request).query(store)
        query.limit = try Self.count("limit", request).map { $0 + offset }
        try store.list(query, into: &writer)
      }
      return HTTPResponse(200, type: "application/json", bytes)
    }
    on(server, "GET", "/api/items/{id}") { request, store in
      let response = item(try store.item(id(request)), in: store)
      let isKnown = response.headers["ETag"].map { request.headers["if-none-match"]?.contains($0) == true }
      return isKnown == true ? HTTPResponse(304, type: "application/json", [], headers: response.headers) : response
    }
    on(server, "POST", "/api/items") { request, store in
      let fields = try Fields(request, ["line", "list"])
      var draft = ItemDraft(try Attributes(line: try fields.text("line") ?? "", at: store.moment))
      let list = try fields.text("list")
      draft.list = draft.list ?? list
      let added = try store.add(draft)
      var response = result(added, status: 201)
      response.headers["Location"] = added.items.first.map { "/api/items/\($0.id)" }
      return response
    }
    on(server, "PATCH", "/api/items/{id}") { request, store in try patch(request, store) }
    on(server, "DELETE", "/api/items/{id}") { request, store in
      result(try store.remove(try selection(request, store)))
    }
    on(server, "POST", "/api/items/{id}/notes") { request, store in
      let text = try Fields(request, ["text"]).text("text") ?? ""
      return result(try store.note(text, to: try selection(request, store)), status: 201)
    }
    on(server, "PUT", "/api/items/{id}/notes/{number}") { request, store in
      let text = try Fields(request, ["text"]).text("text") ?? ""
      return result(try store.setNote(number(request), of: try selection(request, store), to: text))
    }
    on(server, "DELETE", "/api/items/{id}/notes/{number}") { request, store in
      result(try store.setNote(number(request), of: try selection(request, store), to: nil))
    }
    on(server, "POST", "/api/items/{id}/move") { request, store in
      result(try store.move(try selection(request, store), try target(Fields(request, ["before", "after", "list"]))))
    }
    on(server, "POST", "/api/undo") { request, store in result(try store.undo(only: try revision(request))) }
    on(server, "POST", "/api/redo") { request, store in result(try store.redo(only: try revision(request))) }
  }

  // MARK: Changes

  private func patch(_ request: HTTPRequest, _ store: TodoStore) throws -> HTTPResponse {
    let states = ["done", "started", "archived"]
    let words = ["due", "every", "wait", "priority"]
    let fields = try Fields(request, ["line", "title", "list", "tags"] + words + states)
    let selection = try selection(request, store)
    if let state = states.first(where: { fields[$0] != nil }) {
      guard fields.count == 1, case .bool(let isSo)? = fields[state] else {
        throw TodoError.usage("\(state) is true or false, and is changed alone; send other fields in another request")
      }
      switch state {
      case "done": return result(isSo ? try store.done(selection) : try store.undone(selection))
      case "started": return result(isSo ? try store.start(selection) : try store.stop(selection))
      default: return result(isSo ? try store.archive(selection) : try store.unarchive(selection))
      }
    }
    var edit = ItemEdit()
    if let line = try fields.text("line") {
      if fields.count > 1 {
        throw TodoError.usage("line is everything that an item is; send no other fields beside it")
      }
      let item = try store.item(id(request))
      let former = try Attributes(line: TypedLine.line(of: item, in: store.moment.zone), at: store.moment)
      edit = ItemEdit(from: former, to: try Attributes(line: line, at: store.moment))
      if edit.isEmpty { return result(nil) }
    } else {
      let said = try words.compactMap { name throws(TodoError) -> String? in
        guard let value = fields[name] else { return nil }
        let key = name == "priority" ? "pri" : name
        if case .null = value { return "\(key):none" }
        return try fields.text(name).map { "\(key):\($0)" }
      }
      edit = ItemEdit(try Attributes(arguments: said, at: store.moment))
      edit.title = try fields.text("title")
      edit.list = try fields.text("list")
      if let tags = fields["tags"] {
        let texts = tags.array?.compactMap(\.string) ?? []
        guard texts.count == tags.array?.count else { throw TodoError.usage("tags are an array of texts") }
        (edit.addedTags, edit.clearsTags) = (texts, true)
      }
    }
    return result(try store.edit(selection, edit))
  }

  private func target(_ fields: Fields) throws(TodoError) -> MoveTarget {
    if fields.count == 1 {
      if let id = fields["before"]?.integer { return .before(id) }
      if let id = fields["after"]?.integer { return .after(id) }
      if let name = fields["list"]?.string { return .last(list: name) }
    }
    throw .usage("a move has one of before and after, each with the number of an item, and list, with a name")
  }

  /// The item of a path, and the state in which the client has seen it, from `If-Match`.
  private func selection(_ request: HTTPRequest, _ store: TodoStore) throws(TodoError) -> Selection {
    var selection = Selection(try id(request))
    if let tag = request.headers["if-match"], tag != "*" {
      let parts = tag.split(separator: "\"", omittingEmptySubsequences: false)
      guard parts.count == 3, parts[0].isEmpty, parts[2].isEmpty else {
        throw .usage("If-Match is the ETag of the item in its quotes, or *, and not \(tag)")
      }
      selection.seenState = String(parts[1])
    }
    return selection
  }

  private func id(_ request: HTTPRequest) throws(TodoError) -> Int64 {
    let text = request.parameters["id"] ?? ""
    guard let id = Int64(text) else { throw .noSuchItem("there is no item \"\(text)\"") }
    return id
  }

  /// The only change to take back, if the body names one.
  private func revision(_ request: HTTPRequest) throws -> Int64? {
    if request.body.isEmpty { return nil }
    guard let revision = try Fields(request, ["revision"])["revision"]?.integer else {
      throw TodoError.usage("revision must be a number, that of a change")
    }
    return revision
  }

  private func number(_ request: HTTPRequest) throws(TodoError) -> Int {
    let text = request.parameters["number"] ?? ""
    guard let number = Int(text), number > 0 else { throw .noSuchItem("there is no note \"\(text)\"") }
    return number
  }

  /// A number of rows from the query; nil if it is missing. Two of them can be added.
  private static func count(_ name: String, _ request: HTTPRequest) throws(TodoError) -> Int? {
    guard let text = request.query[name] else { return nil }
    guard let count = Int(text), (0...Int(Int32.max)).contains(count) else {
      throw .usage("\(name) is a number from 0 to \(Int32.max), and not \"\(text)\"")
    }
    return count
  }

  /// The client's zone: a header can't be sent with a live list by browsers.
  private static func zone(_ request: HTTPRequest) -> String? {
    request.headers["time-zone"] ?? request.query["zone"]
  }

  private static func list(_ request: HTTPRequest) -> ListRequest {
    ListRequest(
      view: request.query["view"] ?? "list", filter: request.query["filter"] ?? "", zone: Self.zone(request),
      by: request.query["by"] ?? "", sort: request.query["sort"] ?? "", status: request.query["status"] ?? "")
  }

  // MARK: Requests and answers

  private func on(
    _ server: FeedServer, _ method: String, _ path: String,
    _ handler: @escaping @Sendable (HTTPRequest, TodoStore) throws -> HTTPResponse
  ) {
    server.on(method, path, authorize: { access.refusal(of: $0) }) { request in
      guard request.accepts("application/json") else {
        return .problem(406, "answers here are application/json, which the header Accept excludes")
      }
      return await withCheckedContinuation { continuation in
        queue.async { continuation.resume(returning: answer(request, handler)) }
      }
    }
  }

  private func answer(
    _ request: HTTPRequest, _ handler: (HTTPRequest, TodoStore) throws -> HTTPResponse
  ) -> HTTPResponse {
    do {
      return try handler(request, try store.inZone(Self.zone(request)))
    } catch let response as HTTPResponse {
      return response
    } catch TodoError.conflict(let message) {
      // Either the item is not what the client has seen, or something else is in the way.
      if let selection = try? selection(request, store), let seen = selection.seenState,
        let item = try? store.items(Selection(ids: selection.ids)).first, item.tagOfState != seen
      {
        var response = HTTPResponse.problem(412, message, [("item", json(item))])
        response.headers["ETag"] = "\"\(item.tagOfState)\""
        return response
      }
      return .problem(409, message)
    } catch {
      return Self.response(TodoError(error))
    }
  }

  private static func response(_ error: TodoError) -> HTTPResponse {
    switch error {
    case .usage: return .problem(422, error.message)
    case .noSuchItem: return .problem(404, error.message)
    case .conflict, .failure: return .problem(409, error.message)
    case .busy:
      var response = HTTPResponse.problem(503, error.message)
      response.headers["Retry-After"] = "2"
      return response
    case .badData, .inputOutput:
      log(error.message)
      return .problem(500, error.message)
    }
  }

  private func ok(_ value: JSONValue) -> HTTPResponse { HTTPResponse(200, type: "application/json", value.text.utf8) }

  /// The item, with its tag and the line that edits it.
  private func item(_ item: Item, in store: TodoStore) -> HTTPResponse {
    let line = TypedLine.line(of: item, in: store.moment.zone)
    return HTTPResponse(
      200, type: "application/json", "{\"schema\":1,\"item\":\(json(item)),\"line\":\(line.json)}".utf8,
      headers: ["ETag": "\"\(item.tagOfState)\""])
  }

  /// What a change did; nil if it was none.
  private func result(_ result: ChangeResult?, status: Int = 200) -> HTTPResponse {
    func items(_ items: [Item]?) -> String { "[\((items ?? []).map(json).joined(separator: ","))]" }
    let newLists = JSONValue.array(result?.newLists.map { .string($0.name) } ?? [])
    var text = "{\"schema\":1,\"label\":\(JSONValue(result?.label).text),\"newLists\":\(newLists.text)"
    if let result { text += ",\"revision\":\(result.revision)" }
    text += ",\"items\":\(items(result?.items)),\"next\":\(items(result?.next)),\"removed\":\(items(result?.removed))"
    return HTTPResponse(status, type: "application/json", (text + "}").utf8)
  }

  private func json(_ item: Item) -> String {
    var writer = JSONWriter()
    writer.write(item)
    return writer.text
  }
}

/// The fields of a request's body, a JSON object.
struct Fields {
  private let object: JSONObject

  /// - Parameter names: The fields there may be. Another one is an error: it could be a misspelt one.
  init(_ request: HTTPRequest, _ names: [String]) throws {
    let type = request.headers["content-type"]?.split(separator: ";").first?.lowercased() ?? ""
    guard type == "application/json" || type == "application/merge-patch+json" else {
      throw HTTPResponse.problem(415, "send the body as application/json")
    }
    do {
      guard let object = try JSONValue.parse(request.body).object else {
        throw HTTPResponse.problem(400, "the body must be a JSON object")
      }
      self.object = object
    } catch let error as JSONError {
      throw HTTPResponse.problem(400, "the body is no JSON: \(error)")
    }
    if let other = object.members.first(where: { !names.contains($0.key) }) {
      throw TodoError.usage("there is no field \"\(other.key)\" here; there are \(names.joined(separator: ", "))")
    }
    if object.isEmpty { throw TodoError.usage("the body has no field; there are \(names.joined(separator: ", "))") }
  }

  var count: Int { object.members.count }

  subscript(name: String) -> JSONValue? { object[name] }

  /// The text of a field; nil if it is missing.
  func text(_ name: String) throws(TodoError) -> String? {
    guard let value = object[name] else { return nil }
    guard let text = value.string else { throw .usage("\(name) must be a text, and not \(value.kind)") }
    return text
  }
}

extension String {
  /// The text in quotes, as JSON.
  var json: String { JSONValue.string(self).text }
}
