extension Update: CustomStringConvertible {
  /// The sizes of the two lists and the changes between them.
  public var description: String {
    "\(old.numberOfItems) rows in \(old.count) sections to \(new.numberOfItems) in \(new.count): \(changes)"
  }
}
