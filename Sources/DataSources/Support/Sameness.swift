#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

/// Whether two ids name the same row.
///
/// Ids that don't equal themselves, such as not-a-number, are the same when their hashes are. A difference then pairs such
/// rows in the order in which they appear; without this, it would compare each of them with all others.
@inlinable package func areSame<ID: Hashable>(_ first: ID, _ second: ID) -> Bool {
  if first == second { return true }
  if first == first { return false }
  return second != second && first.hashValue == second.hashValue
}

/// Whether two values have the same content.
///
/// Of values that don't equal themselves, those with the same bits in memory are the same, and those with the same hash where
/// they are hashable. All others differ.
@inlinable package func haveSameContent<Value: Equatable>(
  _ first: UnsafePointer<Value>, _ second: UnsafePointer<Value>
) -> Bool {
  if first.pointee == second.pointee { return true }
  if first.pointee == first.pointee { return false }
  return haveSameBitsOrHash(first, second)
}

/// Whether two live values have the same bits in memory. Then they are copies of each other; other copies may differ in unused bits.
func haveSameBits<Value>(_ first: UnsafePointer<Value>, _ second: UnsafePointer<Value>) -> Bool {
  memcmp(first, second, MemoryLayout<Value>.size) == 0
}

/// The same question about two values of which the first doesn't equal itself.
@usableFromInline package func haveSameBitsOrHash<Value: Equatable>(
  _ first: UnsafePointer<Value>, _ second: UnsafePointer<Value>
) -> Bool {
  if haveSameBits(first, second) { return true }
  guard second.pointee != second.pointee, let hashable = first.pointee as? any Hashable else { return false }
  return hashable.hashValue == (second.pointee as? any Hashable)?.hashValue
}
