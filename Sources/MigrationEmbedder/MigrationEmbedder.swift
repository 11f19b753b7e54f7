import Foundation
import PackagePlugin

/// Turns the package's Migrations/*.sql into Swift source for the target that uses this plugin.
///
/// The plugin only says which files there are and which one comes out; EmbedMigrations reads and checks them. SwiftPM
/// runs it again when one of the files changes, and asks the plugin again when one is added or removed, for which it needs
/// the link Sources/TodoCore/Migrations (it watches the folders of targets, and no others).
@main struct MigrationEmbedder: BuildToolPlugin {
  func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
    let folder = context.package.directoryURL.appending(path: "Migrations", directoryHint: .isDirectory)
    let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
      .filter { $0.pathExtension == "sql" }
      .sorted { $0.lastPathComponent < $1.lastPathComponent }
    let output = context.pluginWorkDirectoryURL.appending(path: "EmbeddedMigrations.swift")
    return [
      .buildCommand(
        displayName: "Embedding \(files.count) migrations",
        executable: try context.tool(named: "EmbedMigrations").url,
        arguments: [output.path(percentEncoded: false)] + files.map { $0.path(percentEncoded: false) },
        inputFiles: files,
        outputFiles: [output]
      )
    ]
  }
}
