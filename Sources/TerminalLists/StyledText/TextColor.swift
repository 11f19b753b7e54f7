/// A colour of a terminal. The user's theme decides how it looks.
public enum TextColor: Hashable, Sendable {
  /// One of the eight that every terminal has.
  case black, red, green, yellow, blue, magenta, cyan, white
  /// One of the palette of 256.
  case palette(UInt8)

  func codes(base: Int) -> [Int] {
    switch self {
    case .black: [base]
    case .red: [base + 1]
    case .green: [base + 2]
    case .yellow: [base + 3]
    case .blue: [base + 4]
    case .magenta: [base + 5]
    case .cyan: [base + 6]
    case .white: [base + 7]
    case .palette(let index): [base + 8, 5, Int(index)]
    }
  }
}
