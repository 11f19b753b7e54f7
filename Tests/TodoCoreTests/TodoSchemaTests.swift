import FixtureSupport
import Foundation
import Testing
import TodoCore

@Suite struct TodoSchemaTests {
  @Test func `the embedded migrations are the files on disk`() throws {
    let folder = URL(filePath: Fixture.checkout + "/Migrations", directoryHint: .isDirectory)
    let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
      .filter { $0.pathExtension == "sql" }
      .sorted { $0.lastPathComponent < $1.lastPathComponent }
    #expect(TodoSchema.migrations.map(\.name) == files.map { $0.deletingPathExtension().lastPathComponent })
    for (migration, file) in zip(TodoSchema.migrations, files) {
      #expect(try Array(migration.sql.utf8) == Array(Data(contentsOf: file)), "\(migration.name)")
    }
  }

  @Test func `they are numbered from one without gaps`() {
    #expect(TodoSchema.migrations.map { Int($0.name.prefix(4)) } == Array(1...TodoSchema.migrations.count))
  }
}
