import Foundation

/// Folders for tests, all in one that is deleted when the process ends.
public enum TemporaryFolder {
  /// Makes a fresh, empty folder and gives its path, without a slash at the end.
  public static func make() throws -> String {
    let path = root + "/" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    return path
  }

  /// Made once, and removed at exit: a test that fails or throws need not clean up.
  private static let root: String = {
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "fetchedresults-tests-\(UUID().uuidString)", directoryHint: .notDirectory)
    atexit { TemporaryFolder.removeAll() }
    return folder.path(percentEncoded: false)
  }()

  private static func removeAll() {
    // Nobody is left to tell if it fails, and the system empties its temporary folder anyway.
    _ = try? FileManager.default.removeItem(atPath: root)
  }
}
