extension JSONWriter {
  /// Writes an item in the shape that scripts rely on: every field, always.
  public mutating func write(_ item: Item) {
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
    if let due = item.due { write(due.description) } else { raw("null") }
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
    raw("}")
  }

  /// Writes a moment, or null.
  public mutating func write(_ instant: Instant?) {
    if let instant { write(instant.description) } else { raw("null") }
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
