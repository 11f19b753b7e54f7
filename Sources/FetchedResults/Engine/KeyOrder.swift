import SQLiteStore

/// What the parts of an order key are, and how they compare.
///
/// Keys are made so that comparing their bytes gives the engine's order, which is exact: NULL, numbers, text, blobs;
/// integers and reals by their exact values. Only a collation that is not known here has to be asked of the engine.
struct KeyOrder: Equatable, Sendable {
  /// One part of a key.
  struct Part: Equatable, Sendable {
    enum Text: Equatable, Sendable {
      /// By the bytes in UTF-8.
      case bytes
      /// By the bytes in UTF-16, the less significant byte first or last, as the engine stores it.
      case utf16(isBigEndian: Bool)
      /// Without regard to ASCII case.
      case nocase
      /// Without regard to spaces at the end.
      case rtrim
      /// By a collation that only the engine knows.
      case asked(String)
    }

    var text: Text
    var isDescending: Bool
    var isNullLast: Bool

    /// What the bytes are combined with, to turn the order round.
    var mask: UInt8 { isDescending ? 0xFF : 0 }
    var nullTag: UInt8 { (isNullLast ? KeyTag.nullLast : KeyTag.nullFirst) ^ mask }
  }

  var parts: [Part]
  /// How many of the parts, at the beginning, order the sections.
  var sectionOrderParts: Int
  /// Whether a part after those names the section.
  var hasSections: Bool

  /// How many parts say which section a row is in.
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
  /// Reals from here on are integral, and several integers lie between two of them.
  static let exactLimit = 9_007_199_254_740_992.0
}

/// Asks the engine how two texts stand to each other under a collation.
typealias CollationQuestion = (_ collation: String, _ left: String, _ right: String) throws -> Int
