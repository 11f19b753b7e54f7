package import FetchedResultsCore

/// A database with the sample's table `entry(id, list, title, rank)`, whose engine is tried.
package protocol EngineHost: Sendable {
  associatedtype Live: LiveDatabase
  /// What the controllers follow.
  var database: Live { get }
  /// The requests to try. By default, those of ``TriedRequest/standard``.
  var requests: [TriedRequest] { get }
  /// Makes all changes in one commit.
  func commit(_ changes: [EntryChange]) throws
  /// The same through another connection or process, if others can write: the engine must find the commit by itself.
  func commitFromOutside(_ changes: [EntryChange]) throws
  /// Begins a commit with all changes, and undoes it.
  func rollBack(_ changes: [EntryChange]) throws
}

extension EngineHost {
  package var requests: [TriedRequest] { TriedRequest.standard }
}
