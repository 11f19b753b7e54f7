import DataSourcesTestSupport
import FixtureSupport
import Foundation
import SQLiteStore
import TestSupport

/// A program that was built along with the tests.
struct Program {
  private let file: URL

  init(_ name: String) {
    #if os(Linux)
      let tests = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
    #else
      let tests = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }?.bundleURL ?? Bundle.main.bundleURL
    #endif
    file = tests.deletingLastPathComponent().appending(path: name)
  }

  private func process(_ arguments: [String]) -> Process {
    let process = Process()
    process.executableURL = file
    process.arguments = arguments
    process.standardInput = FileHandle.nullDevice
    return process
  }

  /// Runs it, kills it at a random moment, and gives the numbers that it acknowledged.
  func killed(_ arguments: [String], _ chance: inout SeededGenerator) throws -> [Int] {
    let process = process(arguments)
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let id = process.processIdentifier
    try demand(id > 0, "it did not start")
    var said = Data()
    // Half of the time from the very beginning on, else once it is at work.
    if chance.below(2) == 0 { said += try output.fileHandleForReading.read(upToCount: 1) ?? Data() }
    usleep(UInt32(chance.below(30_000)))
    kill(id, SIGKILL)
    process.waitUntilExit()
    try demand(
      process.terminationReason == .uncaughtSignal, "it ended by itself, with \(process.terminationStatus)")
    said += try output.fileHandleForReading.readToEnd() ?? Data()
    return String(decoding: said, as: UTF8.self).split(separator: "\n").compactMap { Int($0) }
  }

  /// Runs it, kills it after some milliseconds, and says whether it had done what it was to do.
  func finished(_ arguments: [String], killedAfter milliseconds: Int) throws -> Bool {
    let process = process(arguments)
    process.standardOutput = FileHandle.nullDevice
    try process.run()
    // Now: of a process that has ended it may be 0, which is all of ours.
    let id = process.processIdentifier
    try demand(id > 0, "it did not start")
    usleep(UInt32(milliseconds * 1000))
    if process.isRunning { kill(id, SIGKILL) }
    process.waitUntilExit()
    if process.terminationReason == .uncaughtSignal { return false }
    try demand(process.terminationStatus == 0, "it failed with \(process.terminationStatus)")
    return true
  }

  /// Starts it; what it says can be asked for once.
  func started(_ arguments: [String]) throws -> Running {
    let process = process(arguments)
    let (output, errors) = (Pipe(), Pipe())
    process.standardOutput = output
    process.standardError = errors
    try process.run()
    return Running(process: process, output: output, errors: errors)
  }

  /// Starts it, to be given lines one after another.
  func conversation(_ arguments: [String]) throws -> Conversation { try Conversation(process(arguments)) }

  /// A program that reads a line, prints some lines and one that begins with "done" or "failed", and reads the next.
  final class Conversation {
    struct Failure: Error { var message: String }

    private let process: Process
    private let input = Pipe()
    private let output = Pipe()
    private var read: [UInt8] = []

    fileprivate init(_ process: Process) throws {
      self.process = process
      process.standardInput = input
      process.standardOutput = output
      try process.run()
    }

    /// Sends a line, and returns those that it prints for it.
    @discardableResult
    func send(_ line: String) throws -> [String] {
      try input.fileHandleForWriting.write(contentsOf: Data((line + "\n").utf8))
      var answer: [String] = []
      while true {
        guard let end = read.firstIndex(of: UInt8(ascii: "\n")) else {
          let data = output.fileHandleForReading.availableData
          try demand(!data.isEmpty, "it ended before it answered")
          read += data
          continue
        }
        let next = String(decoding: read[..<end], as: UTF8.self)
        read.removeSubrange(...end)
        if next.hasPrefix("failed") { throw Failure(message: next) }
        if next == "done" { return answer }
        answer.append(next)
      }
    }

    /// Closes its input, and waits until it has ended.
    func end() throws {
      try input.fileHandleForWriting.close()
      process.waitUntilExit()
      try demand(process.terminationStatus == 0, "it ended with \(process.terminationStatus)")
    }
  }

  /// A program at work.
  struct Running {
    fileprivate let process: Process
    fileprivate let output, errors: Pipe

    /// Waits for its end, which must be a good one, and gives the numbers that it said.
    func numbers() throws -> [Int] {
      let said = try output.fileHandleForReading.readToEnd() ?? Data()
      let complaints = try errors.fileHandleForReading.readToEnd() ?? Data()
      process.waitUntilExit()
      try demand(
        process.terminationReason == .exit && process.terminationStatus == 0 && complaints.isEmpty,
        "it ended with \(process.terminationStatus): \(String(decoding: complaints, as: UTF8.self))")
      return String(decoding: said, as: UTF8.self).split(separator: "\n").compactMap { Int($0) }
    }
  }
}
