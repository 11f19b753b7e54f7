extension String {
  /// The text with ASCII letters in lower case, as by SQLite's lower() and in NOCASE comparisons.
  var asciiLowercased: String {
    guard utf8.contains(where: { (65...90).contains($0) }) else { return self }
    var result = String.UnicodeScalarView()
    for scalar in unicodeScalars {
      let isUpper = (65...90).contains(scalar.value)
      result.append(isUpper ? Unicode.Scalar(UInt8(scalar.value + 32)) : scalar)
    }
    return String(result)
  }
}
