/// A row of the sample: something to do.
///
/// ```swift
/// let errand = ErrandsAndCareer.list.items[0]
/// print(errand.title, errand.isDone)
/// ```
public struct Errand: Identifiable, Hashable, Sendable, Codable {
  /// Identifies the errand in the next list.
  public var id: Int64
  /// The title.
  public var title: String
  /// Whether it is done.
  public var isDone: Bool

  /// Creates an errand.
  public init(id: Int64, title: String, isDone: Bool = false) {
    self.id = id
    self.title = title
    self.isDone = isDone
  }
}
