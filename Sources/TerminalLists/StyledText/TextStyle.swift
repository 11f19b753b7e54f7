/// The style of a piece of text on a terminal. A host without styles ignores it.
///
/// ```swift
/// let late = TextStyle(.bold, foreground: .red)
/// ```
public struct TextStyle: Hashable, Sendable {
  /// Attributes that may be combined.
  ///
  /// ```swift
  /// let style = TextStyle([.bold, .inverse] as TextStyle.Attributes)
  /// ```
  public struct Attributes: OptionSet, Hashable, Sendable {
    /// The combination as bits.
    public let rawValue: UInt8

    /// Creates a combination from its bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Heavier strokes.
    public static let bold = Attributes(rawValue: 1 << 0)
    /// Paler than normal.
    public static let dim = Attributes(rawValue: 1 << 1)
    /// Slanted.
    public static let italic = Attributes(rawValue: 1 << 2)
    /// A line below.
    public static let underlined = Attributes(rawValue: 1 << 3)
    /// Text and background colours are exchanged.
    public static let inverse = Attributes(rawValue: 1 << 4)
    /// A line through the middle.
    public static let struckThrough = Attributes(rawValue: 1 << 5)
  }

  /// The attributes.
  public var attributes: Attributes
  /// The colour of the text; nil for the terminal's own.
  public var foreground: TextColor?
  /// The colour behind the text; nil for the terminal's own.
  public var background: TextColor?

  /// Creates a style; without arguments, the terminal's own.
  public init(_ attributes: Attributes = [], foreground: TextColor? = nil, background: TextColor? = nil) {
    self.attributes = attributes
    self.foreground = foreground
    self.background = background
  }

  /// The terminal's own style.
  public static let plain = TextStyle()

  /// This style with another on top of it.
  ///
  /// ```swift
  /// let both = TextStyle(.bold).with(TextStyle(foreground: .cyan))
  /// ```
  public func with(_ other: TextStyle) -> TextStyle {
    TextStyle(
      attributes.union(other.attributes), foreground: other.foreground ?? foreground,
      background: other.background ?? background)
  }

  /// The escape sequence that switches a terminal from plain to this style.
  var escapeSequence: String {
    guard self != .plain else { return "" }
    var codes: [Int] = []
    let codesOfAttributes: [(Attributes, Int)] = [
      (.bold, 1), (.dim, 2), (.italic, 3), (.underlined, 4), (.inverse, 7), (.struckThrough, 9),
    ]
    for (attribute, code) in codesOfAttributes where attributes.contains(attribute) { codes.append(code) }
    codes += foreground.map { $0.codes(base: 30) } ?? []
    codes += background.map { $0.codes(base: 40) } ?? []
    return "\u{1B}[" + codes.map(String.init).joined(separator: ";") + "m"
  }
}

/// A colour of a terminal. The user's theme decides how it looks.
///
/// ```swift
/// let color: TextColor = .palette(208)
/// let style = TextStyle(foreground: color)
/// ```
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
