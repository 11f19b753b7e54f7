import Foundation
import PackagePlugin

/// Turns the package's Migrations/*.sql into Swift source for the target that uses this plugin.
///
/// The plugin only says on which files the source depends and which one comes out; EmbedMigrations finds, reads and checks them. SwiftPM
/// runs it again when one of the files changes, and asks the plugin again when one is added or removed, for which it needs
/// the link Sources/TodoCore/Migrations (it watches the folders of targets, and no others).
@main struct MigrationEmbedder: BuildToolPlugin {
  func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
    let folder = context.package.directoryURL.appending(path: "Migrations", directoryHint: .isDirectory)
    // Not hidden files: editors keep locks in them, which are links that lead nowhere. (As long as such a link is in the folder, SwiftPM
    // does not notice that other files come or go; it does when the link is gone.)
    let files = try FileManager.default.contentsOfDirectory(
      at: folder, includingPropertiesForKeys: nil, options: .skipsHiddenFiles
    )
    .filter { $0.pathExtension.lowercased() == "sql" }
    .sorted { $0.lastPathComponent < $1.lastPathComponent }
    let output = context.pluginWorkDirectoryURL.appending(path: "EmbeddedMigrations.swift")
    return [
      .buildCommand(
        displayName: "Embedding \(files.count) migrations",
        executable: try context.tool(named: "EmbedMigrations").url,
        arguments: [output.path(percentEncoded: false), folder.path(percentEncoded: false)]
          + files.map(\.lastPathComponent),
        // Such a link under another name is left to EmbedMigrations: SwiftPM would say only that an input is missing.
        inputFiles: files.filter { FileManager.default.fileExists(atPath: $0.path(percentEncoded: false)) },
        outputFiles: [output]
      )
    ]
  }
}
