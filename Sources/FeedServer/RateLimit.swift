/// How often each client may do something: so many times at once, and that often again while time passes.
///
/// ```
/// var limit = RateLimit(perSecond: 1, atOnce: 20)
/// if let seconds = limit.secondsUntilAllowed(client, now) { … }  // refuse, and say when to try again
/// limit.spend(client, now)
/// ```
struct RateLimit {
  private struct Allowance {
    var left: Double
    var time: UInt64
  }

  /// How many clients it knows. The others share one allowance while none of these has recovered.
  private static let capacity = 10_000

  private let perSecond: Double
  private let atOnce: Double
  private var clients: [ClientAddress?: Allowance] = [:]

  init(perSecond: Double, atOnce: Double) { (self.perSecond, self.atOnce) = (perSecond, atOnce) }

  private func left(_ allowance: Allowance, _ now: UInt64) -> Double {
    min(atOnce, allowance.left + Double(now - min(now, allowance.time)) / 1e9 * perSecond)
  }

  /// The whole seconds until a client may do it again; nil if it may do it now.
  func secondsUntilAllowed(_ client: ClientAddress?, _ now: UInt64) -> Int? {
    guard let known = clients[client] ?? (isFull ? clients[nil] : nil) else { return nil }
    let missing = 1 - left(known, now)
    return missing > 0 ? Int((missing / perSecond).rounded(.up)) : nil
  }

  /// Counts that a client does it.
  mutating func spend(_ client: ClientAddress?, _ now: UInt64) {
    var client = client
    if clients[client] == nil, isFull {
      clients = clients.filter { left($0.value, now) < atOnce }
      if isFull { client = nil }
    }
    let before = clients[client].map { left($0, now) } ?? atOnce
    clients[client] = Allowance(left: max(0, before - 1), time: now)
  }

  private var isFull: Bool { clients.count >= Self.capacity }
}
