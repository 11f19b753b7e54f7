/// The fields of a JSON object, in their order.
public struct JSONObject: Sendable {
  /// A field, and the position of its value in the text it was read from.
  public struct Member: Sendable {
    /// The field's name.
    public var key: String
    /// The field's value.
    public var value: JSONValue
    /// The position of the value; nil if it was not read from a text.
    public var place: TextPlace?
  }

  /// The fields, in order.
  public private(set) var members: [Member]
  /// The position of the object; nil if it was not read from a text.
  public var place: TextPlace?

  /// Creates an object with these fields.
  public init(_ fields: [(String, JSONValue)] = []) {
    members = fields.map { Member(key: $0.0, value: $0.1, place: nil) }
  }

  /// Whether there are no fields.
  public var isEmpty: Bool { members.isEmpty }

  /// The value of a field; nil if it is missing. If a name occurs twice, the last one counts. Setting nil removes the
  /// field; a new field is appended.
  public subscript(key: String) -> JSONValue? {
    get { index(of: key).map { members[$0].value } }
    set {
      let index = index(of: key)
      if let newValue {
        if let index { members[index].value = newValue } else { members.append(Member(key: key, value: newValue)) }
      } else if index != nil {
        members.removeAll { $0.key.isIdentical(to: key) }
      }
    }
  }

  /// The object with each name once: at the place of the first, with the value of the last, which is the one that
  /// counts.
  var withoutRepeats: JSONObject {
    if firstRepeated == nil { return self }
    var fields = JSONObject()
    for member in members { fields[member.key] = member.value }
    return fields
  }

  /// The first field whose name an earlier one has.
  var firstRepeated: Member? {
    if members.count <= 32 {
      let place = members.indices.first { place in
        let key = members[place].key
        return members[..<place].contains { $0.key.utf8.count == key.utf8.count && $0.key.isIdentical(to: key) }
      }
      return place.map { members[$0] }
    }
    var names: Set<TextKey> = []
    return members.first { !names.insert(TextKey($0.key)).inserted }
  }

  /// The position of a field's value, or else of the object.
  public func place(of key: String) -> TextPlace? { index(of: key).flatMap { members[$0].place } ?? place }

  /// The last field with a name.
  private func index(of key: String) -> Int? {
    let length = key.utf8.count
    // Few names have the same length.
    return members.lastIndex { $0.key.utf8.count == length && $0.key.isIdentical(to: key) }
  }

  mutating func append(_ key: String, _ value: JSONValue, at place: TextPlace) {
    // Growing step by step would copy the fields of each object three or four times.
    if members.isEmpty { members.reserveCapacity(16) }
    members.append(Member(key: key, value: value, place: place))
  }
}

extension JSONObject: Equatable {
  /// Whether both have the same fields, in any order and wherever they were read. Names are compared by their bytes; of
  /// two fields of one name, the last one counts.
  public static func == (left: JSONObject, right: JSONObject) -> Bool {
    func holds(_ one: JSONObject, _ other: JSONObject) -> Bool {
      one.members.allSatisfy { member in other[member.key].map { $0 == one[member.key] } == true }
    }
    return holds(left, right) && holds(right, left)
  }
}

/// A position in a text, as editors count: both numbers begin at 1, and a column is a character.
public struct TextPlace: Hashable, Sendable, CustomStringConvertible {
  // In half the memory, because every field of a file has one.
  private var row: UInt32
  private var character: UInt32

  /// The line.
  public var line: Int {
    get { Int(row) }
    set { row = UInt32(clamping: newValue) }
  }

  /// The column.
  public var column: Int {
    get { Int(character) }
    set { character = UInt32(clamping: newValue) }
  }

  /// Creates a position.
  public init(line: Int, column: Int) {
    row = UInt32(clamping: line)
    character = UInt32(clamping: column)
  }

  /// As in messages: "line 3, column 7".
  public var description: String { "line \(line), column \(column)" }
}

/// An error in a JSON text, and its position.
public struct JSONError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The position.
  public var place: TextPlace
  /// The problem, as part of a sentence: "a comma or ] is missing".
  public var problem: String

  /// Creates an error.
  public init(_ problem: String, at place: TextPlace) {
    self.place = place
    self.problem = problem
  }

  /// The place and the problem.
  public var description: String { "\(place): \(problem)" }
}

extension TextPlace? {
  /// The position and a colon, for the beginning of a message; empty if the position is not known.
  var prefix: String { map { "\($0): " } ?? "" }
}
