import Foundation
import PackagePlugin

/// Converts the package's Migrations/*.sql into Swift source for the target that uses this plugin.
///
/// The plugin only declares the input files and the output; FetchedResultsMigrationTool finds, reads and checks the
/// files. SwiftPM runs it again when one of the files changes, and asks the plugin again when one is added or removed.
/// For that, this package has the link Sources/TodoCore/Migrations, because SwiftPM watches only the folders of
/// targets.
@main struct FetchedResultsMigrations: BuildToolPlugin {
  func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
    let manager = FileManager.default
    // The folder may be a link, whose content is listed only by its own path.
    let folder = context.package.directoryURL.appending(path: "Migrations", directoryHint: .isDirectory)
      .resolvingSymlinksInPath()
    // No hidden files: editors use them for locks, which are dangling links. (As long as such a link is in the folder,
    // SwiftPM does not notice that other files are added or removed; it does when the link is gone.)
    guard manager.fileExists(atPath: folder.path(percentEncoded: false)) else {
      Diagnostics.error(
        "the package has no folder Migrations; make it beside Package.swift, with files such as 0001_lists.sql")
      return []
    }
    let files = try manager.contentsOfDirectory(
      at: folder, includingPropertiesForKeys: nil, options: .skipsHiddenFiles
    )
    .filter { $0.pathExtension.lowercased() == "sql" }
    .sorted { $0.lastPathComponent < $1.lastPathComponent }
    let output = context.pluginWorkDirectoryURL.appending(path: "EmbeddedMigrations.swift")
    return [
      .buildCommand(
        displayName: "Embedding \(files.count) migrations",
        executable: try context.tool(named: "FetchedResultsMigrationTool").url,
        arguments: [output.path(percentEncoded: false), folder.path(percentEncoded: false)]
          + files.map(\.lastPathComponent),
        // A dangling link under another name is left to FetchedResultsMigrationTool: SwiftPM would only say that an
        // input is missing.
        inputFiles: files.filter { manager.fileExists(atPath: $0.path(percentEncoded: false)) },
        outputFiles: [output]
      )
    ]
  }
}
