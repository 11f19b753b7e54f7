import FetchedResultsSupport

/// What every connection of a database must have: functions, collations, attached files, tracing. A connection applies
/// new registrations when it is next used.
final class Registrations: Sendable {
  private let lock = Lock()
  // because every access is under `lock`
  nonisolated(unsafe) private var entries: [@Sendable (Connection) throws -> Void] = []

  // because every access is under `lock`
  nonisolated(unsafe) private var attachments: [ByteString: Attachment] = [:]
  // because every access is under `lock`
  nonisolated(unsafe) private var lastAttachment: Int64 = 0

  func add(_ entry: @escaping @Sendable (Connection) throws -> Void) { lock.withLock { entries.append(entry) } }

  func apply(to connection: Connection) throws {
    let missing = lock.withLock {
      connection.registrationVersion == entries.count ? [] : Array(entries[connection.registrationVersion...])
    }
    for entry in missing {
      try entry(connection)
      connection.registrationVersion += 1
    }
  }

  // MARK: Attached files

  /// A file that connections attach when they are next used, until it is detached.
  final class Attachment: Sendable {
    private let lock = Lock()
    // because every access is under `lock`
    nonisolated(unsafe) private var content: String?

    // because every access is under `lock`
    nonisolated(unsafe) private var opened: OpenedFile?

    /// No other attachment to this database has, or has had, the same number.
    let number: Int64

    init(path: String, number: Int64) {
      content = path
      self.number = number
    }

    /// The path of the file; nil after it was detached.
    var path: String? { lock.withLock { content } }

    /// The first connection has attached this file.
    func resolve(to file: OpenedFile) {
      lock.withLock {
        guard content != nil else { return }
        content = file.path
        if opened == nil { opened = file }
      }
    }

    func end() { lock.withLock { content = nil } }

    /// The file, from when a connection has attached it until it is detached.
    var openedFile: OpenedFile? { lock.withLock { content == nil ? nil : opened } }
  }

  func newAttachment(of path: String) -> Attachment {
    lock.withLock {
      lastAttachment += 1
      return Attachment(path: path, number: lastAttachment)
    }
  }

  func attached(_ attachment: Attachment, as name: String) {
    lock.withLock { attachments[Self.key(name)] = attachment }
  }

  /// Connections that have not attached the file yet no longer need to.
  func detached(_ name: String) {
    let attachment = lock.withLock { attachments.removeValue(forKey: Self.key(name)) }
    attachment?.end()
  }

  var hasAttachments: Bool { lock.withLock { !attachments.isEmpty } }

  /// The paths of the attached files.
  var attachedPaths: [String] { lock.withLock { attachments.values.compactMap(\.path) } }

  /// The attached files, with the names of their schemas.
  var openedFiles: [(name: String, file: OpenedFile)] {
    lock.withLock {
      attachments.compactMap { name, attachment in attachment.openedFile.map { (name.text, $0) } }
    }
  }

  func attachment(_ name: String) -> Attachment? { lock.withLock { attachments[Self.key(name)] } }

  private static func key(_ name: String) -> ByteString { ByteString(name.asciiUppercased) }
}
