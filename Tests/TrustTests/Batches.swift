import FixtureSupport
import Foundation
import SQLiteStore
import TrustSupport

extension Batches {
  /// Opens the file as the next start does, and looks whether all of it is whole. Gives the number of the last batch.
  static func check(_ path: String) throws -> Int {
    guard FileManager.default.fileExists(atPath: path) else { return 0 }
    do {
      let database = try Database(path: path)
      try database.migrate(migrations)
      let wrong = try database.read { try $0.values(SQL(raw: problems), as: String.self) }
      try demand(wrong.isEmpty, "\(path): done by half: \(wrong.prefix(5))")
      try database.close()
    }
    return try RawDatabase.whole(path).integer("SELECT coalesce(max(number), 0) FROM batch")
  }
}
