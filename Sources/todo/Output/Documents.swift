import TodoCore

/// The JSON documents that hold no list of items, and the lines of lists.
enum Documents {
  /// Prints a document: `{"schema":1,…}` and a line feed.
  static func print(_ fields: [(String, JSONValue)], to output: Output) throws {
    var writer = JSONWriter()
    writer.write(.object(JSONObject([("schema", 1)] + fields)))
    writer.raw("\n")
    try output.print(writer.bytes)
  }

  /// Prints what became of the lists: the changed items, as after every change, and the lists in order.
  static func print(_ result: ChangeResult, lists: [ItemList], to output: Output) throws {
    var bytes: [UInt8] = []
    var writer = JSONListWriter { bytes += $0 }
    try result.visit(&writer)
    bytes.removeLast(2)  // the bracket and the line feed at its end
    var rest = JSONWriter()
    rest.raw(",\"lists\":")
    rest.write(names(lists))
    rest.raw("}\n")
    try output.print(bytes + rest.bytes)
  }

  /// The lists as `lists --json` has them.
  static func names(_ lists: [ItemList]) -> JSONValue {
    .array(lists.map { .object(JSONObject([("name", .string($0.name))])) })
  }

  /// A list as a line: its name, how many open items it has, how many in all.
  static func plain(_ list: ItemList) -> String { "\(list.name.visible)\t\(list.open)\t\(list.total)" }
}
