extension Section: CustomStringConvertible {
  /// The name, the id if it differs, and the rows.
  public var description: String {
    (id.description == name ? "\(name)" : "\(name) (\(id))") + ": \(items)"
  }
}
