extension JSONWriter {
  /// Writes an item in the form that scripts rely on: always with every field.
  public mutating func write(_ item: Item) { write(item, and: []) }

  /// Writes an item with more fields after its own.
  mutating func write(_ item: Item, and more: [(String, JSONValue)]) {
    raw("{\"id\":")
    write(item.id)
    raw(",\"uuid\":")
    write(item.uuid)
    raw(",\"title\":")
    write(item.title)
    raw(",\"list\":")
    write(item.list)
    raw(",\"tags\":")
    write(item.tags)
    raw(",\"priority\":")
    if let priority = item.priority { write(priority.name) } else { raw("null") }
    raw(",\"due\":")
    write(item.due)
    raw(",\"every\":")
    if let every = item.every { write(every.rawValue) } else { raw("null") }
    raw(",\"done\":")
    write(item.done)
    raw(",\"created\":")
    write(item.created)
    raw(",\"completed\":")
    write(item.completed)
    raw(",\"started\":")
    write(item.started)
    raw(",\"notes\":")
    write(item.notes)
    raw(",\"archived\":")
    write(item.archived)
    raw(",\"wait\":")
    write(item.wait)
    for (key, value) in more {
      raw(",")
      write(key)
      raw(":")
      write(value)
    }
    raw("}")
  }

  /// Writes a moment, or null.
  public mutating func write(_ instant: Instant?) {
    guard let instant else { return raw("null") }
    raw("\"")
    append(ISOWriter.instantLength) { ISOWriter.write(instant: instant.seconds, into: $0) }
    raw("\"")
  }

  /// Writes a day or a moment, or null.
  public mutating func write(_ due: Due?) {
    switch due {
    case .instant(let instant)?: write(instant)
    case .day(let day)?:
      raw("\"")
      append(ISOWriter.dayLength) { ISOWriter.write(day: day.number, into: $0) }
      raw("\"")
    case nil: raw("null")
    }
  }

  /// Writes texts in brackets.
  public mutating func write(_ texts: [String]) {
    raw("[")
    for (index, text) in texts.enumerated() {
      if index > 0 { raw(",") }
      write(text)
    }
    raw("]")
  }
}

extension Item {
  /// A short text that another one replaces with each change that JSON readers see. It is no secret.
  package var tagOfState: String {
    var writer = JSONWriter()
    writer.write(self)
    // FNV-1a, which is the same in every process.
    let hash = writer.bytes.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
    return String(hash, radix: 36)
  }
}
