/// The items that a command applies to: numbers, a filter, or both, which must then both match.
///
/// ```swift
/// let selection = try Selection(arguments: ["3", "7-9", "+home"])
/// ```
public struct Selection: Hashable, Sendable {
  /// Numbers and ranges, in the order given.
  public var ids: [ClosedRange<Int64>]
  /// The conditions.
  public var filter: Filter
  /// The state of the one item when it was last seen, as ``Item/tagOfState``. A change is refused as a conflict if the
  /// item has another one by now. Nil: whatever its state is.
  package var seenState: String?

  /// Creates a selection of numbers, a filter, or both.
  public init(ids: [ClosedRange<Int64>] = [], filter: Filter = Filter()) {
    self.ids = ids
    self.filter = filter
  }

  /// These items.
  public init(_ id: Int64, _ more: Int64...) { self.init([id] + more) }

  /// These items, in this order.
  public init(_ ids: [Int64]) { self.init(ids: ids.map { $0...$0 }) }

  /// Creates a selection from the arguments of a command: numbers, ranges and filters, in any order.
  public init(
    arguments: [String], text: [String] = [], status: Filter.Status? = nil, at moment: Moment = .now,
    saved: @escaping SavedFilters = noSavedFilters
  ) throws(TodoError) {
    var ids: [ClosedRange<Int64>] = []
    var rest: [String] = []
    for argument in arguments {
      guard let range = try Self.range(argument) else {
        rest.append(argument)
        continue
      }
      if rest.last?.lowercased() == "not" {
        throw .usage("`not` needs a filter after it, such as @errand, and not the number \(argument)")
      }
      ids.append(range)
    }
    self.init(ids: ids, filter: try Filter(arguments: rest, text: text, status: status, at: moment, saved: saved))
  }

  /// Whether nothing was selected; a command that changes items then asks for a selection.
  public var isEmpty: Bool { ids.isEmpty && filter.isEmpty && filter.status == nil }

  /// Parses "3" or "7-9"; nil if it is no number. The range ends at the greatest number that an item can have. A
  /// greater single number matches no item, and a range that runs backwards is a usage error.
  public static func range(_ argument: String) throws(TodoError) -> ClosedRange<Int64>? {
    let parts = argument.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
    guard (1...2).contains(parts.count),
      parts.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy { (48...57).contains($0) } })
    else { return nil }
    // Without leading zeros, longer numbers are greater.
    let digits = parts.map { $0.drop { $0 == "0" } }
    if let last = digits.last, (last.utf8.count, String(last)) < (digits[0].utf8.count, String(digits[0])) {
      throw .usage("the range \(argument) runs backwards; did you mean \"\(parts[1])-\(parts[0])\"?")
    }
    // Without digits it is 0; if it is too long, it is greater than all numbers.
    let numbers = digits.map { $0.isEmpty ? 0 : Int64($0) ?? .max }
    guard numbers[0] <= largestID else {
      throw .noSuchItem("there is no item \(argument); `todo list --all` shows the numbers there are")
    }
    return numbers[0]...min(numbers[numbers.count - 1], largestID)
  }

  /// The greatest number that an item can have: the greatest that JSON readers keep exactly.
  static let largestID: Int64 = 9_007_199_254_740_991
}
