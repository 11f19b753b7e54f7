/// A row of the sample: something to do.
public struct Errand: Identifiable, Hashable, Sendable, Codable {
  /// What makes it the same errand in the next list.
  public var id: Int64
  /// What is to be done.
  public var title: String
  /// Whether it is.
  public var isDone: Bool

  /// Makes an errand.
  public init(id: Int64, title: String, isDone: Bool = false) {
    self.id = id
    self.title = title
    self.isDone = isDone
  }
}
