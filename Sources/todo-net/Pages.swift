import FeedServer

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

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

  let access: Access

  func add(to server: FeedServer) {
    server.on("GET", "/", authorize: { access.refusal(of: $0, needsToken: false) }) { request in
      // The token of the address becomes a cookie. The page then removes it from the address, without a redirect,
      // because a browser wouldn't send the new cookie along with one that began in a mail.
      let token = request.query["token"]
      if access.isToken(token) { return page(PackageResources.page_html, ["Set-Cookie": access.cookie]) }
      return access.hasToken(request)
        ? page(PackageResources.page_html) : locked(isGuess: token != nil || access.secret(of: request) != nil)
    }
    server.on("POST", "/session", authorize: { access.refusal(of: $0, needsToken: false) }) { request in
      let type = "application/x-www-form-urlencoded"
      guard request.headers["content-type"] == type else { return .problem(415, "send the token as \(type)") }
      let body = String(decoding: request.body, as: UTF8.self)
      let fields = URLComponents(string: "?" + body.replacing("+", with: "%20"))?.queryItems
      let token = fields?.first { $0.name == "token" }?.value
      guard access.isToken(token) else { return locked(isGuess: token != nil) }
      return HTTPResponse(303, "", headers: ["Location": "/", "Set-Cookie": access.cookie])
    }
    server.on("DELETE", "/session", authorize: { access.refusal(of: $0) }) { _ in
      HTTPResponse(204, "", headers: ["Set-Cookie": access.expiredCookie])
    }
    for (name, bytes) in Self.files {
      server.on("GET", "/\(name)", authorize: { access.refusal(of: $0, needsToken: false) }) { _ in
        HTTPResponse(200, type: Self.type(of: name), bytes, headers: ["Cache-Control": "no-cache"])
      }
    }
  }

  /// The form that asks for the token.
  private func locked(isGuess: Bool) -> HTTPResponse {
    var response = page(PackageResources.locked_html, status: 401)
    response.countsAsGuess = isGuess
    return response
  }

  private func page(_ bytes: [UInt8], _ headers: [String: String] = [:], status: Int = 200) -> HTTPResponse {
    HTTPResponse(status, type: "text/html; charset=utf-8", bytes, headers: headers)
  }
}
