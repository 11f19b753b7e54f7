import FeedServer
import FetchedResultsSupport
import Foundation

/// A value that is set once, before anybody is served.
final class SetOnce<Value: Sendable>: Sendable {
  private let content = Locked<Value?>(nil)

  var value: Value {
    get {
      guard let value = content.withLock({ $0 }) else { fatalError("used before it was set") }
      return value
    }
    set { content.withLock { $0 = newValue } }
  }
}

/// The page, its files, and how a browser gets in.
struct Pages: Sendable {
  /// The files beside the page itself. None of them has anything of the user's.
  private static let files: [(name: String, bytes: [UInt8])] = [
    ("page.css", PackageResources.page_css), ("icon.svg", PackageResources.icon_svg),
    ("icon.png", PackageResources.icon_png), ("manifest.webmanifest", PackageResources.manifest_webmanifest),
    ("page.js", PackageResources.page_js), ("api.js", PackageResources.api_js),
    ("complete.js", PackageResources.complete_js), ("connection.js", PackageResources.connection_js),
    ("details.js", PackageResources.details_js), ("drag.js", PackageResources.drag_js),
    ("element.js", PackageResources.element_js), ("follow.js", PackageResources.follow_js),
    ("kept.js", PackageResources.kept_js), ("keys.js", PackageResources.keys_js),
    ("live-list.js", PackageResources.live_list_js), ("messages.js", PackageResources.messages_js),
    ("moves.js", PackageResources.moves_js), ("notes.js", PackageResources.notes_js),
    ("rows.js", PackageResources.rows_js), ("selection.js", PackageResources.selection_js),
    ("service-worker.js", PackageResources.service_worker_js), ("streams.js", PackageResources.streams_js),
    ("words.js", PackageResources.words_js), ("worker.js", PackageResources.worker_js),
  ]

  private static func type(of name: String) -> String {
    switch name.split(separator: ".").last {
    case "css": "text/css; charset=utf-8"
    case "svg": "image/svg+xml; charset=utf-8"
    case "png": "image/png"
    case "webmanifest": "application/manifest+json; charset=utf-8"
    default: "text/javascript; charset=utf-8"
    }
  }

  let access: SetOnce<Access>
  let lists: LiveLists

  func add(to server: FeedServer) {
    server.on("GET", "/") { request in
      let access = access.value
      if let refusal = access.refusal(of: request, needsToken: false) { return refusal }
      // The token of the address becomes a cookie. The page then removes it from the address, without a redirect,
      // because a browser wouldn't send the new cookie along with one that began in a mail.
      if access.isToken(request.query["token"]) {
        return listPage(["Set-Cookie": access.cookie])
      }
      return access.hasToken(request) ? listPage() : page(PackageResources.locked_html, status: 401)
    }
    server.on("POST", "/session") { request in
      let access = access.value
      if let refusal = access.refusal(of: request, needsToken: false) { return refusal }
      guard request.headers["content-type"] == "application/x-www-form-urlencoded" else { return .unknownType }
      let body = String(decoding: request.body, as: UTF8.self)
      let token = body.hasPrefix("token=") ? body.dropFirst(6).replacing("+", with: " ").removingPercentEncoding : nil
      guard access.isToken(token) else { return page(PackageResources.locked_html, status: 401) }
      return HTTPResponse(303, "", headers: ["Location": "/", "Set-Cookie": access.cookie])
    }
    server.on("DELETE", "/session") { request in
      let access = access.value
      return access.refusal(of: request) ?? HTTPResponse(204, "", headers: ["Set-Cookie": access.expiredCookie])
    }
    for (name, bytes) in Self.files {
      server.on("GET", "/\(name)") { request in
        access.value.refusal(of: request, needsToken: false)
          ?? HTTPResponse(200, type: Self.type(of: name), bytes, headers: ["Cache-Control": "no-cache"])
      }
    }
  }

  /// The page. The list that it shows first is fetched while the browser loads the page's files.
  private func listPage(_ headers: [String: String] = [:]) -> HTTPResponse {
    Task { try await lists.feed(ListRequest(view: "list", filter: "")) }
    return page(PackageResources.page_html, headers)
  }

  private func page(_ bytes: [UInt8], _ headers: [String: String] = [:], status: Int = 200) -> HTTPResponse {
    HTTPResponse(status, type: "text/html; charset=utf-8", bytes, headers: headers)
  }
}

extension HTTPResponse {
  static let unknownType = problem(415, "send the body as application/json")
}
