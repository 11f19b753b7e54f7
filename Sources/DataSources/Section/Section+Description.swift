extension Section: CustomStringConvertible {
  /// The name, the id where it is another, and the rows.
  public var description: String {
    (id.description == name ? "\(name)" : "\(name) (\(id))") + ": \(items)"
  }
}
