import TodoCore

/// The standard output: collected, and written in large pieces.
final class Output {
  /// What was printed and not written yet.
  private var bytes: [UInt8] = []

  private static let pieceSize = 1 << 16

  init() {}

  /// Prints text as it is.
  func print(_ text: String) throws {
    bytes.append(contentsOf: text.utf8)
    if bytes.count >= Self.pieceSize { try flush() }
  }

  /// Prints a line.
  func line(_ text: String) throws {
    bytes.append(contentsOf: text.utf8)
    bytes.append(0x0A)
    if bytes.count >= Self.pieceSize { try flush() } else { try Interruption.check() }
  }

  /// Prints bytes as they are.
  func print(_ more: [UInt8]) throws {
    bytes.append(contentsOf: more)
    if bytes.count >= Self.pieceSize { try flush() } else { try Interruption.check() }
  }

  /// Prints lines that are exact where a file or a pipe takes them, and harmless where a terminal does.
  func document(_ more: [UInt8]) throws {
    guard Self.isTerminal else { return try print(more) }
    for (index, part) in String(decoding: more, as: UTF8.self).split(
      omittingEmptySubsequences: false, whereSeparator: { $0 == "\n" || $0 == "\r\n" }
    ).enumerated() {
      try print((index == 0 ? "" : "\n") + String(part).visible)
    }
  }

  private static let isTerminal = System.isTerminal(1)

  /// Prints a line that is put together in place.
  func printLine(_ body: (inout [UInt8]) -> Void) throws {
    body(&bytes)
    bytes.append(0x0A)
    if bytes.count >= Self.pieceSize { try flush() } else { try Interruption.check() }
  }

  /// Writes what was collected.
  func flush() throws {
    defer { bytes.removeAll(keepingCapacity: true) }
    switch bytes.withUnsafeBytes({ System.write($0, to: 1) }) {
    case .done: break
    case .closed: throw ClosedPipe()
    case .interrupted: try Interruption.check()
    case .failed(let reason): throw TodoError.inputOutput("the output can't be written: \(reason)")
    }
  }
}

/// Thrown when nobody reads the output any more: the command then ends without a word.
struct ClosedPipe: Error {}
