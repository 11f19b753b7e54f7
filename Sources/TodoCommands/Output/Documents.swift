import TodoCore

/// The JSON documents without a list of items, and the lines of lists.
enum Documents {
  /// Prints a document: `{"schema":1,…}` and a line feed.
  static func print(_ fields: [(String, JSONValue)], to output: Output) throws {
    var writer = JSONWriter()
    writer.write(.object(JSONObject([("schema", 1)] + fields)))
    writer.raw("\n")
    try output.print(writer.bytes)
  }

  /// Prints a change of the lists: the changed items, as after every change, and the lists in order.
  static func print(_ result: ChangeResult, lists: [ItemList], to output: Output) throws {
    try print(result, and: [("lists", names(lists))], to: output)
  }

  /// Prints the result of an import or a dry run: the changed items, as after every change, and the counts.
  static func print(
    _ result: ImportResult, _ batch: ImportBatch, isDryRun: Bool, revision: Int64, to output: Output
  ) throws {
    let counts: [(String, JSONValue)] = [
      ("dryRun", .bool(isDryRun)), ("added", .integer(result.added)), ("updated", .integer(result.updated)),
      ("unchanged", .integer(result.unchanged)), ("renumbered", .integer(result.renumbered)),
      ("addedLists", .integer(result.addedLists)),
      ("updatedLists", .integer(result.updatedLists)),
      ("leftOut", .array(batch.leftOut.map { .integer($0) })),
      ("warnings", .array((batch.warnings + result.warnings).map { .string($0) })),
    ]
    if let change = result.change { return try print(change, and: counts, to: output) }
    try print([("revision", .integer(revision)), ("sections", [])] + counts, to: output)
  }

  /// Prints the result of a restoration: the changed items, as after every change, and the counts.
  static func print(_ result: RestoreResult, to output: Output) throws {
    let fields: [(String, JSONValue)] = [
      ("items", .integer(result.items)), ("added", .integer(result.added)), ("updated", .integer(result.updated)),
      ("removed", .integer(result.removed)), ("setAside", JSONValue(result.setAside)),
    ]
    try print(result.change, and: fields, to: output)
  }

  /// Prints the changed items, with more fields after them.
  private static func print(_ result: ChangeResult, and fields: [(String, JSONValue)], to output: Output) throws {
    var bytes: [UInt8] = []
    var writer = JSONListWriter { bytes += $0 }
    try result.visit(&writer)
    bytes.removeLast(2)  // the brace and the line feed at its end
    var rest = JSONWriter()
    rest.write(.object(JSONObject(fields)))
    try output.print(bytes + Array(",".utf8) + rest.bytes.dropFirst() + Array("\n".utf8))
  }

  /// The lists as in `lists --json`.
  static func names(_ lists: [ItemList]) -> JSONValue {
    .array(lists.map { .object(JSONObject([("name", .string($0.name))])) })
  }

  /// A list as a line: its name, the number of its open items, and of all its items.
  static func plain(_ list: ItemList) -> String { "\(list.name.visible)\t\(list.open)\t\(list.total)" }
}
