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
      (.csv, "title,c,extra,d\na,1,\"{\"\"e\"\":3}\",2\n"),
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
      (.csv, "title,c,extra\na,1,\"{\"\"c\"\":2}\"\n", "line 2", "c"),
      (.csv, "title,extra,c\na,\"{\"\"c\"\":2}\",1\n", "line 2", "c"),
      (.csv, "title,extra\na,\"{\"\"c\"\":2,\"\"c\"\":3}\"\n", "line 2", "c"),
      (.csv, "title,\na,b\n", "line 2, column 3", "no name"),
    ] as [(TransferFormat, String, String, String)]) func `fields that can't all be kept are refused with their place`(
      format: TransferFormat, text: String, place: String, field: String
    ) throws
  {
    let error = #expect(throws: TodoError.self) { try read(format, text) }
    #expect(error?.exitCode == 65 && error?.message.hasPrefix(place) == true, "\(String(describing: error))")
    #expect(error?.message.contains(field) == true, "\(String(describing: error))")
  }

  @Test func `text and quotes below a checkbox are its notes`() throws {
    let text = """
      Before

      # Home
      Of home
      - [ ] a
        > one
      > two

        three
        - sub point
      lazy \\*text\\*

      > four

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
    #expect(batch.items[0].notes == ["one", "two", "three", "- sub point", "lazy *text*", "four"])
    #expect(batch.items[1].notes == ["deep"])
    #expect(batch.leftOut == [1, 4, 15, 16, 17, 22, 24, 27])
    #expect(batch.lists.map(\.name) == ["Home", "Work"])
  }

  @Test func `an attribute that is repeated after a title stays in the title`() throws {
    let text = "- [ ] a +one +two !high !low due:2031-01-01 due:2031-01-02 todo-id:3 todo-id:4 @x @y"
    let item = try read(.markdown, text).items[0]
    for word in ["+two", "!low", "due:2031-01-02", "todo-id:4"] { #expect(item.title.contains(word), "\(item.title)") }
    #expect(item.list == "one" && item.priority == .high && item.id == 3 && item.tags == ["x", "y"])
    let line = try read(.todotxt, "a todo-id:3 todo-id:4 todo-created:2031-01-01T00:00:00Z").items[0]
    #expect(line.title == "a todo-id:4" && line.id == 3)
  }

  @Test(arguments: [
    "todo-created:2031-01-01T00:00:00Z", "todo-completed:2031-01-01T00:00:00Z", "todo-title:a", "todo-extra:%7B%7D",
  ])
  func `of two words for one field, the second stays in the title`(word: String) throws {
    let other = word.replacing("2031", with: "2032").replacing("title:a", with: "title:two").replacing(
      "%7D", with: "%22a%22:1%7D")
    for (format, text) in [(TransferFormat.todotxt, "x a \(word) \(other)"), (.markdown, "- [x] a \(word) \(other)")] {
      let title = try read(format, text).items[0].title
      #expect(title == "a " + other, "\(format)")
    }
    // The day at the beginning of a line is less exact than the word.
    let line = try read(.todotxt, "x 2031-01-02 2030-05-06 a todo-created:2030-05-05T23:30:00Z").items[0]
    #expect(line.title == "a" && line.created == Instant(iso: "2030-05-05T23:30:00Z"))
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

  @Test func `a word with a title replaces no other text of a line that is no export`() throws {
    for (line, title, tags) in [
      ("a todo-title:one", "a todo-title:one", []),
      ("one todo-title:one", "one", []), ("@x todo-title:one", "one", ["x"]),
      ("a due:2031-01-01 todo-title:a due:2031-02-02", "a due:2031-02-02", []),
      ("a todo-title:one todo-title:two", "a todo-title:one todo-title:two", []),
      ("a todo-title:%20", "a todo-title:%20", []),
    ] as [(String, String, [String])] {
      for (format, text) in [(TransferFormat.todotxt, line), (.markdown, "- [ ] \(line)")] {
        let item = try read(format, text).items[0]
        #expect(item.title == title && item.tags == tags, "\(text): \(item.title)")
      }
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
