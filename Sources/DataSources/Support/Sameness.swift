import FetchedResultsSupport

/// Whether two ids identify the same row.
///
/// Ids that don't equal themselves, such as NaN, are the same if their hashes are. A difference then pairs such rows in
/// the order in which they appear; otherwise it would compare each of them with all others.
@inlinable package func areSame<ID: Hashable>(_ first: ID, _ second: ID) -> Bool {
  if first == second { return true }
  if first == first { return false }
  return second != second && first.hashValue == second.hashValue
}

/// Whether two values have the same content.
///
/// Values that don't equal themselves are the same if they have the same bits in memory or, if they are hashable, the
/// same hash. Otherwise they differ.
@inlinable package func haveSameContent<Value: Equatable>(
  _ first: UnsafePointer<Value>, _ second: UnsafePointer<Value>
) -> Bool {
  if first.pointee == second.pointee { return true }
  if first.pointee == first.pointee { return false }
  return haveSameBitsOrHash(first, second)
}

/// Whether two live values have the same bits in memory. Then they are copies of each other; other copies may differ in
/// unused bits.
func haveSameBits<Value>(_ first: UnsafePointer<Value>, _ second: UnsafePointer<Value>) -> Bool {
  memcmp(first, second, MemoryLayout<Value>.size) == 0
}

/// The same check for two values, if the first doesn't equal itself.
@usableFromInline package func haveSameBitsOrHash<Value: Equatable>(
  _ first: UnsafePointer<Value>, _ second: UnsafePointer<Value>
) -> Bool {
  if haveSameBits(first, second) { return true }
  guard second.pointee != second.pointee, let hashable = first.pointee as? any Hashable else { return false }
  return hashable.hashValue == (second.pointee as? any Hashable)?.hashValue
}
