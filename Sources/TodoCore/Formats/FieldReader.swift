/// Reads the fields of a JSON object with their expected types. Anything else is bad data, and the error says where.
struct FieldReader {
  private let fields: JSONObject

  init(_ fields: JSONObject) { self.fields = fields }

  /// An error about a field, or about the object.
  func error(_ key: String?, _ problem: String) -> TodoError {
    let place = (key.flatMap { fields.place(of: $0) } ?? fields.place).map { "\($0): " } ?? ""
    return .badData(place + (key.map { "\"\($0)\" " } ?? "") + problem)
  }

  /// Refuses an object in which a name occurs twice: only one of the two could be kept.
  func checkNames() throws(TodoError) {
    guard let member = fields.firstRepeated else { return }
    throw .badData(
      ((member.place ?? fields.place).map { "\($0): " } ?? "")
        + "\"\(member.key)\" occurs twice in this object; leave one of the two out")
  }

  /// A text, or nil if it is missing or null.
  func text(_ key: String) throws(TodoError) -> String? {
    switch fields[key] {
    case nil, .null?: return nil
    case .string(let text)?: return text
    case let value?: throw error(key, "is a text, not \(value.kind)")
    }
  }

  /// A text that means a value; nil if it is missing or null. Any other text is an error.
  func value<T>(_ key: String, _ expected: String, _ parse: (String) -> T?) throws(TodoError) -> T? {
    guard let text = try text(key) else { return nil }
    guard let value = parse(text) else { throw error(key, expected) }
    return value
  }

  /// A text that must exist.
  func existingText(_ key: String) throws(TodoError) -> String {
    if let text = try text(key) { return text }
    throw fields[key] == nil ? error(nil, "a \(key) is missing") : error(key, "is a text, not null")
  }

  /// A whole number; nil for anything else.
  func integer(_ key: String) -> Int64? { fields[key]?.integer }

  /// A Boolean; false if it is missing.
  func bool(_ key: String) throws(TodoError) -> Bool {
    switch fields[key] {
    case nil, .null?: return false
    case .bool(let value)?: return value
    case let value?: throw error(key, "is true or false, not \(value.kind)")
    }
  }

  /// The number of an item.
  func id(_ key: String) throws(TodoError) -> Int64? {
    switch fields[key] {
    case nil, .null?: return nil
    case let value?:
      guard let id = value.integer, id >= 0 else { throw error(key, "is a whole number from 1 on") }
      return id == 0 ? nil : id
    }
  }

  /// A UUID, in lower case.
  func uuid(_ key: String) throws(TodoError) -> String? {
    try value(key, "is no UUID, which is such as 0f8fad5b-d9cb-469f-a165-70867728950e", UUIDText.canonical)
  }

  /// Values in order; empty if they are missing.
  func array(_ key: String) throws(TodoError) -> [JSONValue] {
    switch fields[key] {
    case nil, .null?: return []
    case .array(let values)?: return values
    case let value?: throw error(key, "is an array, not \(value.kind)")
    }
  }

  /// Objects in order; empty if they are missing.
  func objects(_ key: String) throws(TodoError) -> [JSONObject] {
    let place = (fields.place(of: key) ?? fields.place).map { "\($0): " } ?? ""
    return try Self.objects(array(key), place, " of \"\(key)\"")
  }

  /// The objects of an array.
  static func objects(
    _ values: [JSONValue], _ place: String = "", _ name: String = ""
  ) throws(TodoError) -> [JSONObject] {
    var objects: [JSONObject] = []
    for (index, value) in values.enumerated() {
      guard case .object(let object) = value else {
        // Only objects know where they are.
        let before = objects.last?.place.map { "; the one before it begins at \($0)" } ?? ""
        throw .badData("\(place)element \(index + 1)\(name) is \(value.kind), not an object\(before)")
      }
      objects.append(object)
    }
    return objects
  }

  /// Texts in order.
  func texts(_ key: String) throws(TodoError) -> [String] {
    var texts: [String] = []
    for value in try array(key) {
      guard case .string(let text) = value else { throw error(key, "holds texts, not \(value.kind)") }
      texts.append(text)
    }
    return texts
  }
}
