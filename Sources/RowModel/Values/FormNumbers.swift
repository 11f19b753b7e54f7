import FetchedResultsSupport

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Numbers for types whose values may be stored in several forms: SQL names a type by its number.
package enum FormNumbers {
  private static let lock = Lock()
  // because every access is under `lock`
  nonisolated(unsafe) private static var numbers: [ObjectIdentifier: Int] = [:]
  // because every access is under `lock`
  nonisolated(unsafe) private static var types: [any ValueConvertible.Type] = [UUID.self, Date.self, Float.self]

  /// The number of a type, which stays the same as long as the process lives.
  package static func number(of type: any ValueConvertible.Type) -> Int {
    switch type {
    case is UUID.Type, is UUID?.Type: 0
    case is Date.Type, is Date?.Type: 1
    case is Float.Type, is Float?.Type: 2
    default:
      lock.withLock {
        let key = ObjectIdentifier(type)
        if let number = numbers[key] { return number }
        types.append(type)
        numbers[key] = types.count - 1
        return types.count - 1
      }
    }
  }

  /// The type with a number; nil if not found.
  package static func type(_ number: Int) -> (any ValueConvertible.Type)? {
    lock.withLock { types.indices.contains(number) ? types[number] : nil }
  }
}
