/// How a format with one item in each line reads the words of a line.
protocol LineSyntax {
  /// Reads a word as an attribute of an item; returns false if it isn't one here.
  func take(_ word: Substring, into item: inout ImportedItem, _ seen: inout MetaWords.Seen) -> Bool
  /// Whether a word is an attribute in some line.
  func isMeta(_ word: Substring) -> Bool
  /// Whether an export writes a title only in a word of ours, so that text beside it is added.
  func isWrittenAlone(_ title: String) -> Bool
  /// What a word of a title says, without the format's escapes.
  func plain(_ word: Substring) -> String
}

extension LineSyntax {
  /// Whether a word is an attribute of an item that has none yet.
  func takes(_ word: Substring) -> Bool {
    var item = ImportedItem(title: "")
    var seen = MetaWords.Seen()
    return take(word, into: &item, &seen)
  }

  /// Reads the words of a line as attributes and a title, which begins with `text`.
  ///
  /// If one of our words contains the title, the text before it is for human readers, who may have changed it in an
  /// exported line. Then the text counts.
  func read(text: some Sequence<Substring> = [], _ words: some Sequence<Substring>, into item: inout ImportedItem) {
    var words = Array(words)[...]
    var title = Array(text)
    // The text that says what one of our words contains.
    var copy: [Substring] = []
    var seen = MetaWords.Seen()
    // What the text of an exported line says about a field replaces our word for it.
    var replaced: Set<Substring> = []
    let isExported = MetaWords.isExported(title + words)
    let isPart = !isExported && MetaWords.isPartOfExport(title + words)
    let exact = words.firstIndex { $0.hasPrefix(MetaWords.titlePrefix) }
    let kept = exact.flatMap { MetaWords.title(words[$0]) }
    if let exact, let kept {
      if isSaid(kept, by: title + words[..<exact]) {
        copy = title + words[..<exact]
        title = []
        words = words[exact...]
      } else {
        let own = kept.keys
        for word in words[..<exact] where !word.isEmpty {
          // A word of the title that we wrote means nothing else, also where it looks like a tag.
          if own.contains(TextKey(plain(word))) || !take(word, into: &item, &seen) {
            title.append(word)
          } else if isExported, !MetaWords.isOurs(word) {
            replaced.insert(MetaWords.field(of: word))
          }
        }
        seen.insertTitle()
        if isSaid(kept, by: title) {
          item.title = kept.text
          (copy, title) = (title, [])
        } else if isExported, isWrittenAlone(kept.text) {
          item.title = (title.map(plain) + [kept.text]).joined(separator: " ")
          (copy, title) = (title, [])
        } else if !isExported {
          // Only an export writes a title twice.
          title.append(words[exact])
        }
        words = words[(exact + 1)...]
      }
    }
    // If an earlier word has set the same field, this one stays part of the title.
    for word in words where !word.isEmpty {
      let field = MetaWords.field(of: word)
      if take(word, into: &item, &seen) {
        // Somebody has put the list of another program's syntax before our word for it.
        if isExported, field == "list", !MetaWords.isOurs(word) { replaced.insert(field) }
        continue
      }
      // Ours is the first of them. No word of ours for a list begins with a sign.
      if word.first != "+", isMeta(word), replaced.remove(field) != nil { continue }
      title.append(word)
    }
    // Also if its words have been moved.
    if let kept, isSaid(kept, by: copy + title) { (item.title, title) = (kept.text, []) }
    // A word that is escaped means nothing, so the words are examined as they are in the line.
    let mistakes = MetaWords.mistakes(in: title.flatMap(\.words), of: item)
    item.line.warnings = mistakes.map { "\($0.word) stays in the title; \($0.reason)" }
    item.line.hasSecondUUID =
      item.uuid != nil && title.contains { MetaWords.isUUID($0) && kept?.keys.contains(TextKey(plain($0))) != true }
    let rest = title.map(plain).joined(separator: " ")
    if !rest.isEmpty { item.title += (item.title.isEmpty ? "" : " ") + rest }
    if isPart {
      item.line.warnings.append(
        "\"\(item.title)\" counts as a new item, because the word todo-uuid:, which each line of an export has, is missing"
      )
    }
  }

  private func isSaid(_ title: MetaWords.Title, by words: [Substring]) -> Bool {
    title.isSaid(by: words.filter { !$0.isEmpty }.map(plain))
  }
}
