/// An imported text that is not valid UTF-8.
enum InvalidText {
  /// What it is instead, and what to do if it begins with the byte order mark of UTF-16.
  static func description(of bytes: ArraySlice<UInt8>) -> String {
    bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF])
      ? "text in UTF-16; convert it to UTF-8 first" : "not text in UTF-8"
  }
}
