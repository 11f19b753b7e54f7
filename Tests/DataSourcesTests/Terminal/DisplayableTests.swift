import DataSources
import DataSourcesTestSupport
import TerminalLists
import TestSupport
import Testing

@Suite struct DisplayableTests {
  @Test(arguments: [
    ("plain", "plain"), ("two\nlines", "two lines"), ("a\r\nb", "a b"), ("a\n\rb", "a  b"), ("a\tb", "a b"),
    ("red \u{1B}[31malert", "red ␛[31malert"), ("bell\u{7}", "bell␇"), ("\u{0}", "␀"), ("\u{7F}", "␡"),
    ("\u{9B}31m", "\u{FFFD}31m"), ("a\u{202E}b\u{202C}c", "abc"), ("\u{2066}x\u{2069}", "x"), ("\u{200F}x", "x"),
    ("a\u{200B}b", "ab"), ("a\u{2028}b\u{2029}c\u{85}d", "a b c d"), ("\u{301}x", "\u{25CC}\u{301}x"),
    ("👩‍👩‍👧‍👦", "👩‍👩‍👧‍👦"), ("❤️", "❤️"), ("🏴󠁧󠁢󠁥󠁮󠁧󠁿", "🏴󠁧󠁢󠁥󠁮󠁧󠁿"), ("می‌خواهم", "می‌خواهم"), ("", ""), ("\u{200D}", ""),
    ("\u{FFF9}a\u{FFFA}b\u{FFFB}", "ab"), ("\u{600}12", "\u{600}12"),
  ])
  func `a text is made safe`(text: String, shown: String) {
    #expect(text.displayable.unicodeScalars.elementsEqual(shown.unicodeScalars), "\(text.displayable.debugDescription)")
  }

  @Test func `a heap of marks is cut`() {
    let heap = "e" + String(repeating: "\u{301}", count: 500) + "x"
    #expect(heap.displayable.unicodeScalars.count == 17)
    #expect(heap.displayable.hasSuffix("x"))
  }

  @Test func `a cut sequence does not reach for the next letter`() {
    let chain = Array(repeating: "👩", count: 20).joined(separator: "\u{200D}") + "👧"
    let shown = chain.displayable
    #expect(shown.count == 1 || shown.allSatisfy { DisplayWidth.of($0) == 2 })
    #expect(shown.displayable == shown)
  }

  /// Whatever comes in: one line, no control, the same when made safe again, and the width of its letters.
  @Test(arguments: Seeds.range(300)) func `anything becomes one line of letters`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let interesting: [UInt32] = [
      0x1B, 0x0A, 0x0D, 0x09, 0x7F, 0x9B, 0x200B, 0x200C, 0x200D, 0x202E, 0x2066, 0xFE0E, 0xFE0F, 0x301, 0x20E3,
      0x1F468,
      0x1F469, 0x1F3FD, 0x1F1E6, 0x1F1E9, 0xE0067, 0xE007F, 0x1F3F4, 0x4E00, 0x1100, 0x1161, 0x11A8, 0x600, 0x915,
      0x94D,
      0x93F, 0xAD, 0x61, 0x20, 0x3164, 0xFFFD, 0x10FFFF, 0xE000,
    ]
    var text = ""
    for _ in 0..<random.below(40) {
      let value = random.once(in: 3) ? UInt32(random.below(0x11_0000)) : interesting[random.below(interesting.count)]
      if let scalar = Unicode.Scalar(value) { text.unicodeScalars.append(scalar) }
    }
    let shown = text.displayable
    #expect(shown.displayable == shown, "\(Seeds.hint(seed))")
    #expect(DisplayWidth.of(text) == shown.reduce(0) { $0 + DisplayWidth.of($1) }, "\(Seeds.hint(seed))")
    #expect(shown.allSatisfy { DisplayWidth.of($0) > 0 }, "\(Seeds.hint(seed)): \(shown.debugDescription)")
    let line = StyledText(text) + StyledText(text, style: TextStyle(.bold))
    for width in 0..<12 {
      #expect(line.truncated(to: width).width <= width, "\(Seeds.hint(seed))")
      #expect(line.fitted(to: width).width == width, "\(Seeds.hint(seed))")
    }
    var model = ScreenModel(columns: 20, rows: 1)
    let screen = TerminalScreen(size: TerminalSize(columns: 20, rows: 1)) { model.receive($0) }
    screen[0] = line
    screen.flush()
    #expect(model.complaints == [], "\(Seeds.hint(seed))")
  }
}
