import Foundation

/// The inputs that are kept in the folder Corpus.
enum Corpus {
  static func inputs(of check: Check) throws -> [(name: String, bytes: [UInt8])] {
    let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Corpus/\(check.rawValue)")
    return try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted().map { name in
      (name, [UInt8](try Data(contentsOf: folder.appending(path: name))))
    }
  }

  /// The checks wait for what is asynchronous, which the threads of Swift's own pool must not do.
  static func onThreadOfItsOwn(_ body: @escaping @Sendable () -> Void) async {
    await withCheckedContinuation { continuation in
      Thread {
        body()
        continuation.resume()
      }.start()
    }
  }
}
