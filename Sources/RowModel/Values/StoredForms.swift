/// How many stored values are read as one instance of a type. This is the only rule for when two stored values are
/// equal.
///
/// Two stored values are equal as values of a type if the type writes the same value for both. A program may have
/// stored one UUID in upper case, another in lower case and a third as a blob; all are read, so all are equal. The rule
/// applies to entity ids, predicates, `IN` lists, keys of sections and typed orders:
///
/// | type | stored values that are equal |
/// |---|---|
/// | integers, `[UInt8]`, `Data` | identical ones |
/// | `String` | those with the same bytes, whatever the column's collation |
/// | `Double` | those with the same number |
/// | `Bool` | 0 is false; all other integers are true |
/// | `Float` | those that round to the same float |
/// | `UUID` | texts in any case, and blobs of 16 bytes |
/// | `Date` | those that mean the same time |
/// | a `RawRepresentable` | as its raw value, unless the type declares otherwise |
/// | any other type | identical ones, unless the type declares ``several`` |
///
/// A type of your own that reads more forms than it writes must declare it:
///
/// ```swift
/// enum Grade: Int, ValueConvertible {
///   case a, b, c
///   static var storedForms: StoredForms { .several }
///   var databaseValue: Value { .text(["A", "B", "C"][rawValue]) }
///   init(databaseValue: Value) throws {  // reads "A" and "a"
///     guard case .text(let text) = databaseValue, let index = ["A", "B", "C"].firstIndex(of: text.uppercased()) else {
///       throw DatabaseError.mismatch(expected: "a grade from A to C", found: databaseValue)
///     }
///     self = [.a, .b, .c][index]
///   }
/// }
/// ```
///
/// An index on a column can still be used for a search for one `UUID`, `Date` or `Float`: a condition on the column
/// itself comes before the exact one. It can't be used for a value of another type that has several forms, nor for a
/// list of more than 16; `Statistics.reasons` of a followed request says so. A search for true uses no index, and that
/// is not reported.
public struct StoredForms: Hashable, Sendable {
  package enum Kind: Hashable, Sendable {
    case one, bool, uuid, date, single, raw, own
  }

  package let kind: Kind

  init(_ kind: Kind) { self.kind = kind }

  @usableFromInline static let bool = StoredForms(.bool)
  /// The forms of the raw value, and no others.
  @usableFromInline static let raw = StoredForms(.raw)
  static let uuid = StoredForms(.uuid)
  static let date = StoredForms(.date)
  @usableFromInline static let single = StoredForms(.single)

  /// Each instance is read from one stored value only.
  public static let one = StoredForms(.one)
  /// Some instances are read from several stored values. They are compared by their `databaseValue`.
  public static let several = StoredForms(.own)
}

extension ValueConvertible {
  /// One form, as for most types.
  @inlinable
  public static var storedForms: StoredForms { .one }

  /// The value that this type writes for a stored value.
  package static func canonical(_ value: Value) throws -> Value {
    try Self(databaseValue: value).databaseValue
  }
}
