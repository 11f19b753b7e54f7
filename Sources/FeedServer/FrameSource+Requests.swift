import LiveFeeds

/// What is wrong with a block that ``FrameSource/block(_:_:)`` doesn't find.
let blockUsage = "window=N&size=M ask for the block N, from 0, of M rows"

extension FrameSource {
  /// The block of rows that the parameters of a request name; the whole feed if it has neither, nil if they are wrong.
  func block(_ number: String?, _ size: String?) -> (any FrameSource)? {
    if number == nil, size == nil { return self }
    guard let number = number.flatMap({ Int($0) }), let size = size.flatMap({ Int($0) }) else { return nil }
    return window(number, of: size)
  }

  /// Applies the edit in the body of a request.
  func answer(
    toEdit request: HTTPRequest, _ refusal: (Int, String) -> HTTPResponse
  ) async throws -> HTTPResponse {
    guard let feed = block(request.query["window"], request.query["size"]) else { return refusal(400, blockUsage) }
    do {
      return HTTPResponse(200, type: "application/json", try await feed.apply(request.body))
    } catch let conflict as EditConflict {
      return refusal(409, conflict.reason)
    } catch let error as FeedError {
      return refusal(error.isFinal ? 400 : 503, error.reason)
    }
  }
}
