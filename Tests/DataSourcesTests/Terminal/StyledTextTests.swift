import DataSources
import DataSourcesTestSupport
import TerminalLists
import TestSupport
import Testing

@Suite struct StyledTextTests {
  @Test func `pieces of one style are one`() {
    let line: StyledText = "Milk" + StyledText(" and") + StyledText(" bread", style: TextStyle(.dim)) + ""
    #expect(line.spans.map(\.text) == ["Milk and", " bread"])
    #expect(line.text == "Milk and bread")
    #expect(line.width == 14)
    #expect("\(line)" == "Milk and bread")
    #expect(StyledText("").isEmpty)
  }

  @Test func `a style is added to the existing one`() {
    let line = StyledText("x", style: TextStyle(.bold, foreground: .red)).styled(TextStyle(.inverse, foreground: .blue))
    #expect(line.spans.map(\.style) == [TextStyle([.bold, .inverse], foreground: .blue)])
  }

  @Test func `a line is cut with a sign`() {
    let line: StyledText = "Buy some " + StyledText("牛乳", style: TextStyle(.bold))
    #expect(line.truncated(to: 13).text == "Buy some 牛乳")
    #expect(line.truncated(to: 12).text == "Buy some 牛…")
    #expect(line.truncated(to: 11).text == "Buy some …")
    #expect(line.truncated(to: 4).text == "Buy…")
    #expect(line.truncated(to: 1).text == "…")
    #expect(line.truncated(to: 0).text == "")
    #expect(line.truncated(to: 12).spans.last?.style == TextStyle(.bold))
    #expect(line.fitted(to: 11).text == "Buy some … ")
  }

  @Test func `a short line is filled`() {
    #expect(StyledText("ab").fitted(to: 4).text == "ab  ")
    #expect(StyledText("").fitted(to: 2, fill: TextStyle(.inverse)).spans.map(\.style) == [TextStyle(.inverse)])
  }

  @Test(arguments: Seeds.range(400)) func `a fitted line has exactly its width`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let scalars: [Unicode.Scalar] = [
      "a", " ", "\u{0600}", "\u{0601}", "\u{06DD}", "\u{110BD}", "\u{0301}", "\u{200D}", "\u{FE0F}", "\u{1F1E9}",
      "\u{1F469}",
      "\u{4E2D}", "\u{1100}", "\u{0E33}", "\u{1F3FD}", "\u{20E3}", "7", "\t", "\u{202E}",
    ]
    for _ in 0..<20 {
      var text = String.UnicodeScalarView()
      for _ in 0..<random.below(8) { text.append(scalars[random.below(scalars.count)]) }
      let width = random.below(10)
      let line = StyledText(String(text)).fitted(to: width)
      #expect(line.width == width && DisplayWidth.of(line.text) == width, "\(Array(text)), \(Seeds.hint(seed))")
    }
  }
}
