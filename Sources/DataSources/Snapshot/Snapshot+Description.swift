extension Snapshot: CustomStringConvertible {
  /// The sections with their rows, one after the other.
  public var description: String { "[" + map(\.description).joined(separator: "; ") + "]" }
}
