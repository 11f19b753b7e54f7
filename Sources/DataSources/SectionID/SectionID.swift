/// Identifies a section from one list to the next.
///
/// The cases are the values that a database column can hold, so the value that a section's rows share can be its id.
/// `none` is the section of a list without sections. Two ids of different cases are different: `.integer(2)` is not
/// `.real(2)`.
public enum SectionID: Sendable {
  /// No value: SQL's NULL, and the only section of a list without sections.
  case none
  /// A whole number.
  case integer(Int64)
  /// A floating-point number. NaN equals itself here, so that every id can be found again.
  case real(Double)
  /// A text, compared byte by byte as in databases: a letter that is composed in two ways gives two different texts.
  case text(String)
  /// Bytes.
  case blob([UInt8])
}

extension SectionID: Hashable {
  /// Whether two ids identify the same section.
  public static func == (lhs: SectionID, rhs: SectionID) -> Bool {
    switch (lhs, rhs) {
    case (.none, .none): true
    case (.integer(let a), .integer(let b)): a == b
    case (.real(let a), .real(let b)): a == b || (a.isNaN && b.isNaN)
    case (.text(let a), .text(let b)): a.utf8.elementsEqual(b.utf8)
    case (.blob(let a), .blob(let b)): a == b
    default: false
    }
  }

  /// Hashes the id.
  public func hash(into hasher: inout Hasher) {
    switch self {
    case .none: hasher.combine(0)
    case .integer(let value):
      hasher.combine(1)
      hasher.combine(value)
    case .real(let value):
      hasher.combine(2)
      hasher.combine(value.isNaN ? Double.nan : value)
    case .text(var value):
      hasher.combine(3)
      value.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    case .blob(let value):
      hasher.combine(4)
      hasher.combine(value)
    }
  }
}

extension SectionID: CustomStringConvertible {
  /// The value for users; for a blob, its number of bytes.
  public var description: String {
    switch self {
    case .none: "none"
    case .integer(let value): String(value)
    case .real(let value): String(value)
    case .text(let value): value
    case .blob(let value): "blob of \(value.count) bytes"
    }
  }
}
