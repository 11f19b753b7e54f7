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
  let access: SetOnce<Access>

  func add(to server: FeedServer) {
    server.on("GET", "/") { request in
      let access = access.value
      if let refusal = access.refusal(of: request, needsToken: false) { return refusal }
      // The token of the address becomes a cookie. The page then removes it from the address, without a redirect,
      // because a browser wouldn't send the new cookie along with one that began in a mail.
      if access.isToken(request.query["token"]) {
        return page(PackageResources.page_html, ["Set-Cookie": access.cookie])
      }
      return access.hasToken(request)
        ? page(PackageResources.page_html) : page(PackageResources.locked_html, status: 401)
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
    let files: [(String, String, [UInt8])] = [
      ("page.css", "text/css", PackageResources.page_css), ("page.js", "text/javascript", PackageResources.page_js),
      ("rows.js", "text/javascript", PackageResources.rows_js),
      ("complete.js", "text/javascript", PackageResources.complete_js),
      ("words.js", "text/javascript", PackageResources.words_js),
      ("live-list.js", "text/javascript", PackageResources.live_list_js),
      ("icon.svg", "image/svg+xml", PackageResources.icon_svg),
    ]
    for (name, type, bytes) in files {
      server.on("GET", "/\(name)") { request in
        access.value.refusal(of: request, needsToken: false)
          ?? HTTPResponse(200, type: "\(type); charset=utf-8", bytes, headers: ["Cache-Control": "no-cache"])
      }
    }
  }

  private func page(_ bytes: [UInt8], _ headers: [String: String] = [:], status: Int = 200) -> HTTPResponse {
    HTTPResponse(status, type: "text/html; charset=utf-8", bytes, headers: headers)
  }
}

extension HTTPResponse {
  static let unknownType = problem(415, "send the body as application/json")
}
