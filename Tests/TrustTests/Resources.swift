import Foundation

/// The resources that this process uses.
enum Resources {
  /// The memory that is really there, in kilobytes; nil where the system does not say.
  static var residentKilobytes: Int? {
    guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8) else { return nil }
    return text.split(separator: " ").dropFirst().first.flatMap { Int($0) }.map { $0 * Int(getpagesize()) / 1024 }
  }

  /// For how long this thread has been ready to run without a processor; nil where the system does not say.
  static var processorWait: Duration? {
    guard let text = try? String(contentsOfFile: "/proc/thread-self/schedstat", encoding: .utf8) else { return nil }
    let words = text.split(whereSeparator: \.isWhitespace)
    return words.count > 1 ? Int64(words[1]).map { .nanoseconds($0) } : nil
  }

  /// How many files are open.
  static var openFiles: Int {
    let folder = FileManager.default.fileExists(atPath: "/proc/self/fd") ? "/proc/self/fd" : "/dev/fd"
    return (try? FileManager.default.contentsOfDirectory(atPath: folder).count) ?? 0
  }
}
