import SQLiteStore

/// The parts of an order key, and how they compare.
///
/// Comparing the bytes of two keys gives the engine's exact order: NULL, numbers, text, blobs; integers and reals by
/// their exact values. Only for an unknown collation the engine has to be asked.
struct KeyOrder: Equatable, Sendable {
  /// One part of a key.
  struct Part: Equatable, Sendable {
    enum Text: Equatable, Sendable {
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

    var text: Text
    var isDescending: Bool
    var isNullLast: Bool

    /// The value to combine the bytes with, to reverse the order.
    var mask: UInt8 { isDescending ? 0xFF : 0 }
    var nullTag: UInt8 { (isNullLast ? KeyTag.nullLast : KeyTag.nullFirst) ^ mask }
  }

  var parts: [Part]
  /// The number of leading parts that order the sections.
  var sectionOrderParts: Int
  /// Whether the part after those identifies the section.
  var hasSections: Bool

  /// The number of parts that identify a row's section.
  var sectionParts: Int { hasSections ? sectionOrderParts + 1 : 0 }

  /// Whether comparing bytes is not enough.
  var asksEngine: Bool {
    parts.contains { if case .asked = $0.text { true } else { false } }
  }
}

/// The first byte of a part: what kind of value it is.
enum KeyTag {
  static let nullFirst: UInt8 = 0x05
  static let number: UInt8 = 0x10
  static let text: UInt8 = 0x20
  static let blob: UInt8 = 0x30
  static let nullLast: UInt8 = 0xF5
  /// From here on reals are integral, and there are several integers between two of them.
  static let exactLimit = 9_007_199_254_740_992.0
}

/// Asks the engine to compare two texts under a collation.
typealias CollationQuestion = (_ collation: String, _ left: String, _ right: String) throws -> Int
