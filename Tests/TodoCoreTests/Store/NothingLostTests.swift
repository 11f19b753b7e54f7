import SQLiteStore
import Testing
import TodoCore

/// The content of a file is imported, refused with its place, or counted as left out.
@Suite struct NothingLostTests {
  private func read(_ format: TransferFormat, _ text: String) throws -> ImportBatch {
    try format.read(Array(text.utf8), at: Moment(Instant(seconds: 0), in: .fixed(seconds: 0)))
  }

  private func extra(_ format: TransferFormat, _ text: String) throws -> JSONObject {
    try read(format, text).items[0].extra
  }

  @Test(
    arguments: [
      (TransferFormat.json, #"[{"title":"a","c":1,"extra":{"d":2,"e":3}}]"#),
      (.csv, "title,c,extra,d,e\na,1,,2,3\n"),
    ] as [(TransferFormat, String)]) func `fields in extra and beside it are all kept`(
      format: TransferFormat, text: String
    ) throws
  {
    #expect(Set(try extra(format, text).members.map(\.key)) == ["c", "d", "e"])
  }

  @Test(
    arguments: [
      (.json, "[\n{\"title\":\"a\",\"c\":1,\n\"extra\":{\"c\":2}}]", "line 3", "c"),
      (.json, "[\n{\"title\":\"a\",\n\"extra\":{\"c\":2,\"c\":3}}]", "line 3", "c"),
      (.json, "[\n{\"title\":\"a\",\n\"title\":\"b\"}]", "line 3", "title"),
      (.json, "[\n{\"title\":\"a\",\"own\":1,\n\"own\":2}]", "line 3", "own"),
      (.json, "{\"items\":[{\"title\":\"a\"}],\n\"items\":[]}", "line 2", "items"),
      (.json, "{\"sections\":[{\"name\":\"a\",\n\"name\":\"b\",\"items\":[]}]}", "line 2", "name"),
      (.json, "{\"lists\":[{\"name\":\"a\",\"c\":1,\n\"c\":2}]}", "line 2", "c"),
      (.json, "{\"lists\":[{\"name\":\"a\",\"c\":1},\n{\"name\":\"A\",\"c\":2}]}", "line 2", "name"),
      (.taskwarrior, "[{\"description\":\"a\",\n\"description\":\"b\"}]", "line 2", "description"),
      (.csv, "title,c,c\na,1,2\n", "line 1, column 9", "c"), (.csv, "title,Title\na,b\n", "line 1, column 7", "title"),
      (.csv, "title,\na,b\n", "line 2, column 3", "no name"),
    ] as [(TransferFormat, String, String, String)]) func `fields that can't all be kept are refused with their place`(
      format: TransferFormat, text: String, place: String, field: String
    ) throws
  {
    let error = #expect(throws: TodoError.self) { try read(format, text) }
    #expect(error?.exitCode == 65 && error?.message.hasPrefix(place) == true, "\(String(describing: error))")
    #expect(error?.message.contains(field) == true, "\(String(describing: error))")
  }

  @Test func `quotes and indented text below a checkbox are its notes`() throws {
    let text = """
      Before

      # Home
      Of home
      - [ ] a
        > one
      > two

        three
        - sub point
        *text* \\*four\\*

      - plain
      Apart
      > of nobody
      - [x] b

          deep
      ---
      | t |
      ```
      code
      ```
      ## Work
        > of work
      """
    let batch = try read(.markdown, text)
    #expect(batch.items.map(\.title) == ["a", "b"])
    #expect(batch.items[0].notes == ["one", "two", "three", "- sub point", "*text* *four*"])
    #expect(batch.items[1].notes == ["deep"])
    #expect(batch.leftOut == [1, 4, 13, 14, 15, 20, 22, 25])
    #expect(batch.lists.map(\.name) == ["Home", "Work"])
  }

  @Test func `an attribute that is repeated after a title stays in the title`() throws {
    let item = try read(.markdown, "- [ ] a !high !low due:2031-01-01 due:2031-01-02 @x @y").items[0]
    #expect(item.title == "a !low due:2031-01-02" && item.priority == .high && item.tags == ["x", "y"])
    let line = try read(.todotxt, "a +one +two due:2031-01-01 due:2031-01-02 every:day every:week").items[0]
    #expect(line.title == "a +two due:2031-01-02 every:week" && line.list == "one" && line.every == .day)
  }

  @Test func `a combining mark after a blank begins a word`() throws {
    for (format, text, title, tags) in [
      (TransferFormat.markdown, "- [ ] a \u{301}b due:2031-01-01 \u{301}", "a \u{301}b due:2031-01-01 \u{301}", []),
      (.markdown, "- [ ] a @x \u{301}b @y", "a @x \u{301}b", ["y"]),
      (.csv, "title,tags\na,x \u{301}y\n", "a", ["x", "\u{301}y"]),
    ] as [(TransferFormat, String, String, [String])] {
      let item = try read(format, text).items[0]
      #expect(
        item.title.utf8.elementsEqual(title.utf8) && item.tags.elementsEqual(tags) { $0.utf8.elementsEqual($1.utf8) },
        "\(item)")
    }
  }

  @Test(
    arguments: [
      (
        .json, "[{\"title\":\"a\"},\n 5]",
        "element 2 is a number, not an object; the one before it begins at line 1, column 2"
      ),
      (.json, "[null]", "element 1 is null, not an object"),
      (.json, "{\"lists\":[],\n\"items\":[[]]}", "line 2, column 9: element 1 of \"items\" is an array, not an object"),
      (
        .json, "{\"sections\":[{\n \"items\":[true]}]}",
        "line 2, column 10: element 1 of \"items\" is a Boolean, not an object"
      ),
      (.json, "{\"lists\":[\"a\"]}", "line 1, column 10: element 1 of \"lists\" is a text, not an object"),
      (
        .taskwarrior, "[{\"description\":\"a\"},\n 5]",
        "element 2 is a number, not an object; the one before it begins at line 1, column 2"
      ),
    ] as [(TransferFormat, String, String)])
  func `an error for what is no object says where it is`(format: TransferFormat, text: String, message: String) throws {
    let error = #expect(throws: TodoError.self) { try read(format, text) }
    #expect(error?.message == message)
  }
}
