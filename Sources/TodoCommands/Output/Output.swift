import TodoCore

/// The standard output: buffered, and written in large pieces.
final class Output {
  /// Output that was not written yet.
  private var bytes: [UInt8] = []

  private static let pieceSize = 1 << 16

  init() {}

  /// Prints text as it is.
  func print(_ text: String) throws { try print(Array(text.utf8)) }

  /// Prints a line.
  func line(_ text: String) throws { try printLine { $0.append(contentsOf: text.utf8) } }

  /// Prints bytes as they are.
  func print(_ more: [UInt8]) throws {
    bytes.append(contentsOf: more)
    if bytes.count >= Self.pieceSize { try flush() } else { try Interruption.check() }
  }

  /// Prints lines: exact for a file or a pipe, and with control characters made visible for a terminal.
  func document(_ more: [UInt8]) throws {
    guard Self.isTerminal else { return try print(more) }
    for (index, part) in String(decoding: more, as: UTF8.self).split(
      omittingEmptySubsequences: false, whereSeparator: { $0 == "\n" || $0 == "\r\n" }
    ).enumerated() {
      try print((index == 0 ? "" : "\n") + String(part).visible)
    }
  }

  private static let isTerminal = System.isTerminal(1)

  /// Prints a line that is built in place.
  func printLine(_ body: (inout [UInt8]) -> Void) throws {
    body(&bytes)
    bytes.append(0x0A)
    if bytes.count >= Self.pieceSize { try flush() } else { try Interruption.check() }
  }

  /// Writes the buffer.
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

/// Thrown when the reader of the output has gone: the command then ends without a message.
struct ClosedPipe: Error {}
