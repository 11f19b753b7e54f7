import DataSources
import TerminalLists
import Testing

@Suite struct DisplayWidthTests {
  @Test(arguments: [
    ("", 0), ("a", 1), ("Milk", 4), ("é", 1), ("e\u{301}", 1), ("Ａ", 2), ("牛", 2), ("牛乳", 4), ("ﾊﾝ", 2),
    ("한국", 4), ("\u{1112}\u{1161}\u{11AB}", 2), ("「」", 4), ("😀", 2), ("👩‍👩‍👧‍👦", 2), ("👍🏽", 2), ("🇩🇪", 2), ("🇩", 1),
    ("🏴󠁧󠁢󠁥󠁮󠁧󠁿", 2), ("❤️", 2), ("❤", 1), ("☎︎", 1), ("1️⃣", 2), ("©️", 2), ("©", 1), ("⌚", 2), ("⌚︎", 1), ("①", 1),
    ("①②", 2), ("▶", 1), ("✅", 2), ("☐", 1), ("☑", 1), ("→", 1), ("…", 1), ("ก็", 1), ("नि", 2), ("שלום", 4), ("عربى", 4),
    ("🦀🦀", 4), ("𠀀", 2), ("〽︎", 2), ("a\u{FE0F}", 1), ("é\u{FE0F}b", 2), (" \u{FE0F}", 1),
    // As tmux and glibc measure them.
    ("नमस्ते दुनिया का", 13), ("ทำงานน้ำ", 7), ("தமிழ் கொடி", 9), ("বাংলা কি", 8), ("ບໍ່ມີນ້ຳ", 4), ("각", 2),
    ("✌🏽", 2), ("☝🏽", 2), ("🕵🏽", 2), ("✍\u{1F3FB}x", 3), ("\u{600}", 1), ("\u{600}\u{601}1x", 4),
  ])
  func `a text takes the expected number of columns`(text: String, columns: Int) {
    #expect(DisplayWidth.of(text) == columns, "\(text.unicodeScalars.map { String($0.value, radix: 16) })")
  }

  @Test func `a letter of many signs takes little stack and time`() {
    for text in [String(repeating: "\u{600}", count: 200_000) + "1 x", String(repeating: "\u{110BD}", count: 100_000)] {
      #expect(DisplayWidth.of(Character(String(text.prefix(1)))) == text.prefix(1).unicodeScalars.count)
      #expect(text.displayable.unicodeScalars.count <= 18)
      #expect(DisplayWidth.of(text) <= 18)
    }
  }

  @Test func `an invisible character takes no column`() {
    for text in ["\u{200B}", "\u{FEFF}", "\u{202E}", "\u{200D}", "\u{FE0F}", "\u{AD}"] {
      #expect(DisplayWidth.of(text) == 0, "\(text.debugDescription)")
    }
  }
}
