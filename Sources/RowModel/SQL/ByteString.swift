extension String {
  /// Whether both have the same bytes in UTF-8, as SQLite compares them. For `==`, an é is the same however it is
  /// composed.
  @inlinable
  package func hasSameBytes(as other: String) -> Bool {
    guard utf8.count == other.utf8.count else { return false }
    return utf8.withContiguousStorageIfAvailable { left in
      other.utf8.withContiguousStorageIfAvailable { right in Self.areSame(left, right) }
        ?? left.elementsEqual(other.utf8)
    } ?? utf8.elementsEqual(other.utf8)
  }

  /// Compares eight bytes at a time, because every statement is found by comparing its text.
  @usableFromInline
  static func areSame(_ left: UnsafeBufferPointer<UInt8>, _ right: UnsafeBufferPointer<UInt8>) -> Bool {
    let (left, right) = (UnsafeRawBufferPointer(left), UnsafeRawBufferPointer(right))
    var index = 0
    while index + 8 <= left.count {
      if left.loadUnaligned(fromByteOffset: index, as: UInt64.self)
        != right.loadUnaligned(fromByteOffset: index, as: UInt64.self)
      {
        return false
      }
      index += 8
    }
    while index < left.count {
      if left[index] != right[index] { return false }
      index += 1
    }
    return true
  }

  /// Hashes what `hasSameBytes` compares.
  @inlinable
  package func hashBytes(into hasher: inout Hasher) {
    var text = self
    text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
  }
}

/// A text that is compared by its bytes.
package struct ByteString: Hashable, Sendable {
  package let text: String
  package init(_ text: String) { self.text = text }
  package static func == (left: ByteString, right: ByteString) -> Bool { left.text.hasSameBytes(as: right.text) }
  package func hash(into hasher: inout Hasher) { text.hashBytes(into: &hasher) }
}

extension String {
  /// In upper case by SQLite's rules, which change only ASCII letters.
  package var asciiUppercased: String {
    String(decoding: utf8.map { $0 >= 97 && $0 <= 122 ? $0 - 32 : $0 }, as: UTF8.self)
  }

  /// In lower case by SQLite's rules.
  package var asciiLowercased: String {
    String(decoding: utf8.map { $0 >= 65 && $0 <= 90 ? $0 + 32 : $0 }, as: UTF8.self)
  }

  /// Whether SQLite treats both as the name of the same table or column: by bytes, ignoring the case of ASCII letters.
  package func isSameName(as other: String) -> Bool { asciiUppercased.hasSameBytes(as: other.asciiUppercased) }
}

extension Sequence<String> {
  /// Each text once, ascending; texts with different bytes are different.
  package func uniqueByBytes() -> [String] { Set(map { ByteString($0) }).map(\.text).sorted() }
}
