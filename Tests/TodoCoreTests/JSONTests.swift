import DataSourcesTestSupport
import Testing

@testable import TodoCore

@Suite struct JSONTests {
  @Test(arguments: [
    "null", "true", "[]", "{}", "[1,-0.50,1e9,123456789012345678901234567890]",
    #"{"b":1,"a":{"b":[null,false]},"b":2}"#,
    #""a\"\\\n\u0000\u001b é 🎉""#, #"{"\u2028":"\u202e"}"#,
  ])
  func `JSON is written as it was read`(json: String) throws {
    #expect(try JSONValue.parse(json).text == json)
  }

  @Test func `space and escapes are read`() throws {
    #expect(try JSONValue.parse("\u{FEFF} [ 1 ,\r\n\t\"\\u00e9\\ud83c\\udf89\\/\" ] \n") == [1, "é🎉/"])
  }

  @Test(arguments: [
    ("", 1, 1), ("[1,", 1, 4), ("[1 2]", 1, 4), ("{\"a\" 1}", 1, 6), ("[\n  1,\n  x]", 3, 3), ("[\"é\", 01]", 1, 9),
    ("\"a\nb\"", 1, 3), ("[1]]", 1, 4), (#""\x""#, 1, 3), (#""\ud800""#, 1, 7), ("nul", 1, 1), ("{1:2}", 1, 2),
    ("-", 1, 2), ("1.", 1, 3), ("\"abc", 1, 5), (#""\u12g4""#, 1, 6),
  ])
  func `an error says where`(json: String, line: Int, column: Int) {
    #expect {
      try JSONValue.parse(json)
    } throws: { ($0 as? JSONError)?.place == TextPlace(line: line, column: column) }
  }

  @Test func `bytes that are not UTF-8 are refused`() {
    #expect(throws: JSONError.self) { try JSONValue.parse([0x22, 0xFF, 0x22]) }
    #expect(throws: JSONError.self) { try JSONValue.parse(Array(#""\n"#.utf8) + [0xC3, 0x22]) }
    // UTF-16, with a byte order mark and without.
    for bytes: [UInt8] in [[0xFF, 0xFE, 0x5B, 0, 0x5D, 0], [0xFE, 0xFF, 0, 0x5B], [0x5B, 0, 0x5D, 0]] {
      #expect {
        try JSONValue.parse(bytes)
      } throws: { "\($0)".contains("UTF-8") }
    }
  }

  @Test func `UTF-16 and an empty text are named`() {
    for bytes: [UInt8] in [[0xFF, 0xFE, 0x5B, 0, 0x5D, 0], [0xFE, 0xFF, 0, 0x5B]] {
      #expect { try JSONValue.parse(bytes) } throws: { "\($0)".contains("UTF-16; convert it to UTF-8 first") }
      #expect { try TextLines(bytes) } throws: { "\($0)".contains("UTF-16; convert it to UTF-8 first") }
    }
    for text in ["", " \n", "\u{FEFF}"] {
      #expect { try JSONValue.parse(text) } throws: { "\($0)".contains("there is nothing to read") }
    }
  }

  @Test func `deep nesting is refused`() {
    #expect(throws: JSONError.self) { try JSONValue.parse(String(repeating: "[", count: 100_000)) }
  }

  @Test func `fields know their order and place`() throws {
    var object = try #require(try JSONValue.parse("{\n \"a\": 1,\n \"b\": {} }").object)
    #expect(object.place(of: "b") == TextPlace(line: 3, column: 7))
    #expect(object["b"]?.object?.place == TextPlace(line: 3, column: 7))
    object["c"] = "x"
    object["a"] = nil
    #expect(JSONValue.object(object).text == #"{"b":{},"c":"x"}"#)
  }

  @Test(arguments: [0, 7, 10, -1, -10, 1_234_567_890, .max, .min] as [Int64]) func `integers are written in full`(
    number: Int64
  ) {
    var writer = JSONWriter()
    writer.raw("[")
    writer.write(number)
    #expect(writer.text == "[\(number)")
  }

  @Test func `several values follow each other`() throws {
    #expect(try JSONValue.parseSequence(Array("{}\n[1]\n".utf8)) == [[:], [1]])
  }

  @Test(arguments: [5, 40, 200] as [Int]) func `the fields of an object are those of a plain list`(names: Int) {
    var random = SeededGenerator(seed: UInt64(names))
    for _ in 0..<40 {
      var model: [(key: String, value: JSONValue)] = []
      var object = JSONObject()
      for step in 0..<120 {
        let key = "k\(Int.random(in: 0..<names, using: &random))"
        let value = JSONValue.number("\(step)")
        let last = model.lastIndex { $0.key == key }
        switch Int.random(in: 0..<8, using: &random) {
        case 0:
          object[key] = nil
          model.removeAll { $0.key == key }
        case 1, 2:
          object.append(key, value, at: TextPlace(line: step + 1, column: 1))
          model.append((key, value))
        case 3:
          object = JSONObject(object.pairs)
        default:
          object[key] = value
          if let last { model[last].value = value } else { model.append((key, value)) }
        }
        #expect(object[key] == model.last { $0.key == key }?.value)
      }
      #expect(object.members.map(\.key) == model.map(\.key) && object.members.map(\.value) == model.map(\.value))
      for key in (0..<names).map({ "k\($0)" }) { #expect(object[key] == model.last { $0.key == key }?.value) }
      let repeated = model.indices.first { index in model[..<index].contains { $0.key == model[index].key } }
      #expect(object.firstRepeated?.key == repeated.map { model[$0].key })
      #expect(Set(object.withoutRepeats.members.map(\.key)).count == object.withoutRepeats.members.count)
    }
  }
}
