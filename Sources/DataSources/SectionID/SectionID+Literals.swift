extension SectionID: ExpressibleByIntegerLiteral {
  /// Makes an `integer` from a literal such as `7`.
  public init(integerLiteral value: Int64) { self = .integer(value) }
}

extension SectionID: ExpressibleByFloatLiteral {
  /// Makes a `real` from a literal such as `1.5`.
  public init(floatLiteral value: Double) { self = .real(value) }
}

extension SectionID: ExpressibleByStringInterpolation {
  /// Makes a `text` from a literal such as `"Errands"`.
  public init(stringLiteral value: String) { self = .text(value) }
}

extension SectionID: ExpressibleByArrayLiteral {
  /// Makes a `blob` from a literal such as `[0xCA, 0xFE]`.
  public init(arrayLiteral elements: UInt8...) { self = .blob(elements) }
}
