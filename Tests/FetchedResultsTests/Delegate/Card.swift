import FetchedResults

/// A row with an identity and a content.
struct Card: Identifiable, Hashable, Sendable, CustomStringConvertible {
  var id: Int
  var version = 0

  init(_ id: Int, _ version: Int = 0) {
    self.id = id
    self.version = version
  }

  /// The id, with a prime for each change: `7''`.
  var description: String { "\(id)" + String(repeating: "'", count: version) }
}

extension Snapshot<Card> {
  /// Reads a list as `A: 1 2' | B=Name: 3`, or `no section`.
  init(_ text: String) {
    let parts = text == "no section" ? "" : text
    self.init(
      parts.split(separator: "|").compactMap { part in
        let halves = part.split(separator: ":", omittingEmptySubsequences: false)
        let titles = halves[0].split { $0 == " " || $0 == "=" }
        guard let id = titles.first, let name = titles.last else { return nil }
        let cards = (halves.last ?? "").split(separator: " ").compactMap { word in
          Int(word.prefix { $0 != "'" }).map { Card($0, word.count { $0 == "'" }) }
        }
        return Section(id: .text(String(id)), name: String(name), items: cards)
      })
  }

  /// The list as it can be read again.
  var text: String {
    if isEmpty { return "no section" }
    return map { section in
      guard case .text(let id) = section.id else { return "?" }
      let title = id == section.name ? id : "\(id)=\(section.name)"
      return "\(title):" + section.items.map { " \($0)" }.joined()
    }.joined(separator: " | ")
  }
}

extension DelegateEvent {
  /// The call in words: `section insert B at 1`, `move 2 from [0, 1] to [1, 0]`.
  var text: String {
    switch self {
    case .section(let section, let index, let type):
      return "section \(type) \(section.name) at \(index)"
    case .object(let item, let path, let type, let newPath):
      let from = path.map(\.description) ?? "nowhere"
      let to = newPath.map(\.description) ?? "nowhere"
      return switch type {
      case .delete: "delete \(item) at \(from)" + (newPath == nil ? "" : " and \(to)")
      case .insert: "insert \(item) at \(to)" + (path == nil ? "" : " and \(from)")
      case .move: "move \(item) from \(from) to \(to)"
      case .update: "update \(item) at \(from), now \(to)"
      }
    }
  }
}
