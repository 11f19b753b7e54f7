/// The parts of an order key, and how they compare.
///
/// Comparing the bytes of two keys gives the engine's exact order: NULL, numbers, text, blobs; integers and reals by
/// their exact values. Only for an unknown collation the engine has to be asked.
@usableFromInline
package struct KeyOrder: Equatable, Sendable {
  /// One part of a key.
  @usableFromInline
  package struct Part: Equatable, Sendable {
    @usableFromInline
    package enum Text: Equatable, Sendable {
      /// By the bytes in UTF-8.
      case bytes
      /// By the bytes in UTF-16, in the byte order in which the engine stores it.
      case utf16(isBigEndian: Bool)
      /// Without regard to ASCII case.
      case nocase
      /// Ignoring trailing spaces.
      case rtrim
      /// By a collation that only the engine knows.
      case asked(String)
    }

    @usableFromInline package var text: Text
    @usableFromInline package var isDescending: Bool
    @usableFromInline package var isNullLast: Bool

    package init(text: Text, isDescending: Bool, isNullLast: Bool) {
      self.text = text
      self.isDescending = isDescending
      self.isNullLast = isNullLast
    }

    /// The value to combine the bytes with, to reverse the order.
    @inlinable package var mask: UInt8 { isDescending ? 0xFF : 0 }
    @inlinable package var nullTag: UInt8 { (isNullLast ? KeyTag.nullLast : KeyTag.nullFirst) ^ mask }
  }

  package var parts: [Part]
  /// The number of leading parts that order the sections.
  package var sectionOrderParts: Int
  /// Whether the part after those identifies the section.
  package var hasSections: Bool

  package init(parts: [Part], sectionOrderParts: Int, hasSections: Bool) {
    self.parts = parts
    self.sectionOrderParts = sectionOrderParts
    self.hasSections = hasSections
  }

  /// The number of parts that identify a row's section.
  package var sectionParts: Int { hasSections ? sectionOrderParts + 1 : 0 }

  /// Whether comparing bytes is not enough.
  package var asksEngine: Bool {
    parts.contains { if case .asked = $0.text { true } else { false } }
  }
}

/// The first byte of a part: what kind of value it is. Computed, so that other modules inline the numbers.
@usableFromInline
package enum KeyTag {
  @inlinable package static var nullFirst: UInt8 { 0x05 }
  @inlinable package static var number: UInt8 { 0x10 }
  @inlinable package static var text: UInt8 { 0x20 }
  @inlinable package static var blob: UInt8 { 0x30 }
  @inlinable package static var nullLast: UInt8 { 0xF5 }
  /// From here on reals are integral, and there are several integers between two of them.
  @inlinable package static var exactLimit: Double { 9_007_199_254_740_992 }
}

/// Asks the engine to compare two texts under a collation.
typealias CollationQuestion = (_ collation: String, _ left: String, _ right: String) throws -> Int
