public import DataSources
public import RowModel

/// The rows of one list, where their type is known: those just read, those of the list, and those shown.
///
/// Used by one thread at a time.
@usableFromInline
final class RowStorage<E: Entity> {
  /// The rows just read, in order of arrival.
  @usableFromInline var batch: ContiguousArray<E> = []
  /// The list's rows, in sections that have rows.
  @usableFromInline var rows = Snapshot<E>()
  /// The published list: the rows, and the sections without any.
  @usableFromInline var shown = Snapshot<E>()
  /// Sections that will become the list.
  @usableFromInline var sections: [Section<E>] = []

  /// The list published before this one, while this one is loaded.
  @usableFromInline var former: Snapshot<E>?

  /// Rows by their ids, if their order is that of another statement.
  private var stash: [E.ID: E] = [:]
  /// Whether the schema makes ids unique. Then only texts can occur twice that are equal in Swift and not in SQLite.
  @usableFromInline var isIDUnique = false
  /// The slot of each id that may occur twice.
  private var slots: [E.ID: UInt32] = [:]
  /// The id of each of those slots.
  private var ids: [UInt32: E.ID] = [:]
  /// The contents of rows before a change, if they can't be compared.
  private var formerContents: [E.ID: UInt64] = [:]
  /// The rows that may differ from those of the previous list, if they can't be compared.
  private(set) var changedIDs: Set<E.ID> = []
  private var saved: Snapshot<E>?
  /// Whether a row could not be read. Reset it before an operation to find out about that.
  var foundUnreadable = false
  /// How many sections were looked at or put elsewhere, for `WorkCount`.
  @usableFromInline var visits = 0
  /// The rows that `shown` was last made of, if it has sections without rows.
  var arranged = Snapshot<E>()
  /// How many more rows are checked to see whether the entity reads its id from its id column. A mapping shows that by
  /// itself.
  @usableFromInline var unproved = E.self is any MappedEntity.Type ? 0 : 64

  @usableFromInline init() {}

  // MARK: Ids

  @usableFromInline func stashBatch() throws {
    for item in batch {
      if stash.updateValue(item, forKey: item.id) != nil { throw RepeatedID.error(item.id, of: E.self) }
    }
    batch = []
  }

  @usableFromInline func unstash(_ row: Row, _ column: Int, isWanted: Bool) throws {
    // The outer statement may have changed the id's storage class, so compare it as the type that it is.
    let id: E.ID = try row[column]
    guard isWanted else { return }
    // Ids that were equal may differ after that, such as 6 and 6.0 as values.
    guard let item = stash[id] else {
      throw DatabaseError(
        code: .mismatch,
        message: "the row with the id \(DatabaseError.shown(id)) can't be found, because SQLite converts ids of "
          + "different types when it sorts the statement; select them as one type, such as CAST(id AS INTEGER)")
    }
    batch.append(item)
  }

  @usableFromInline func emptyStash() { stash = [:] }

  /// The first row whose id an earlier row has too; nil if not found.
  @inlinable func firstRepeated() -> Int? {
    if isIDUnique {
      var seen = Set<E.ID>()
      for row in batch.indices where mayOccurTwice(batch[row].id) && !seen.insert(batch[row].id).inserted { return row }
      return nil
    }
    if holdsFormerIDs() { return nil }
    var seen = Set<E.ID>(minimumCapacity: batch.count)
    for row in batch.indices where !seen.insert(batch[row].id).inserted { return row }
    return nil
  }

  /// Whether the ids are those of the previous list, where each is unique, most of them in the same places. That is
  /// faster to check than putting all of them into a set.
  @inlinable func holdsFormerIDs() -> Bool {
    guard let former, former.items.count == batch.count else { return false }
    var replaced: [E.ID] = []
    var fresh: [E.ID] = []
    var row = 0
    for old in former.items {
      if old.id != batch[row].id {
        if fresh.count > batch.count / 8 { return false }
        replaced.append(old.id)
        fresh.append(batch[row].id)
      }
      row += 1
    }
    var rest = Set(replaced)
    for id in fresh where rest.remove(id) == nil { return false }
    return true
  }

  /// Records the slots of the ids, starting with the slot of the first row.
  @usableFromInline func noteSlots(_ start: Int) {
    slots = [:]
    ids = [:]
    if !isIDUnique {
      slots.reserveCapacity(batch.count)
      ids.reserveCapacity(batch.count)
    }
    for (place, item) in batch.enumerated() where mayOccurTwice(item.id) {
      slots[item.id] = UInt32(place + start)
      ids[UInt32(place + start)] = item.id
    }
  }

  /// Checks that no id occurs twice after these slots have been removed and these rows added. Returns how many entries
  /// were copied to do so.
  @usableFromInline func checkIDs(_ free: Set<UInt32>, _ fresh: [(slot: UInt32, row: Int)]) throws -> Int {
    let before = (StorageMark(slots), StorageMark(ids))
    var seen: Set<E.ID> = []
    for (_, row) in fresh where mayOccurTwice(batch[row].id) {
      let id = batch[row].id
      let isTaken = slots[id].map { !free.contains($0) } ?? false
      if isTaken || !seen.insert(id).inserted { throw RepeatedID.error(id, of: E.self) }
    }
    for slot in free {
      guard let id = ids.removeValue(forKey: slot) else { continue }
      if slots[id] == slot { slots[id] = nil }
    }
    for (slot, row) in fresh where mayOccurTwice(batch[row].id) {
      slots[batch[row].id] = slot
      ids[slot] = batch[row].id
    }
    return (before.0.isCopied(in: StorageMark(slots)) ? slots.count : 0)
      + (before.1.isCopied(in: StorageMark(ids)) ? ids.count : 0)
  }

  /// Whether an id may occur twice, as far as the schema says. SQLite compares texts by their bytes, and Swift takes
  /// them for the same if they differ only in how letters are composed.
  @usableFromInline func mayOccurTwice(_ id: E.ID) -> Bool { !isIDUnique || TextID.hasOtherSpellings(id) }

  /// Whether the rows just read, or the list, contain ids that may occur twice.
  @usableFromInline func needsIDCheck() -> Bool {
    !isIDUnique || !ids.isEmpty || TextID.isText(E.ID.self) && batch.contains { TextID.hasOtherSpellings($0.id) }
  }

  /// Whether a row at one of the paths and one of those just read have the same id.
  @usableFromInline func shareIDs(_ paths: [ItemPath], _ fresh: [Int]) -> Bool {
    let ids = Set(paths.map { rows[$0].id })
    return fresh.contains { ids.contains(batch[$0].id) }
  }

  /// Checks that a row's id was read from the entity's id column, if the row has that column.
  @usableFromInline func checkID(_ row: Row) throws {
    guard let item = batch.last, row.hasColumn(E.idColumn) else { return }
    let stored: E.ID = try row[E.idColumn]
    guard stored == item.id else {
      throw DatabaseError(
        code: .misuse,
        message: "the id of \(E.self) is not its id column: its id is \(item.id), and \"\(E.idColumn)\", its idColumn, "
          + "holds \(stored); name the column that holds it with `static let idColumn`")
    }
    unproved -= 1
  }

  /// The error for a row that can't be read. It names the row's table, and its id there.
  @usableFromInline func unreadable(_ row: Row, _ error: any Error) -> any Error {
    foundUnreadable = true
    guard var error = error as? DatabaseError, error.code == .mismatch, row.hasColumn(E.idColumn) else { return error }
    let id: Value
    do {
      id = try row[E.idColumn]
    } catch {
      return error
    }
    error.message = "the row of \(E.table) with \(E.idColumn) = \(id) can't be read: \(error.message)"
    return error
  }

  @usableFromInline func repeated(_ row: Int) -> any Error { RepeatedID.error(batch[row].id, of: E.self) }

  // MARK: Contents

  @usableFromInline func beginChange() {
    formerContents = [:]
    changedIDs = []
    saved = rows
  }

  @usableFromInline func endChange() { saved = nil }

  @usableFromInline func undoChange() { if let saved { rows = saved } }

  /// Remembers the content of a row before a change, unless that of its id is known already.
  @usableFromInline func remember(_ path: ItemPath, _ content: UInt64) {
    let id = rows[path].id
    if formerContents[id] == nil { formerContents[id] = content }
  }

  @usableFromInline func mark(_ row: Int, _ content: UInt64?) {
    let id = batch[row].id
    guard let content else {
      changedIDs.insert(id)
      return
    }
    if let former = formerContents[id], former != content { changedIDs.insert(id) }
  }
}

/// The interface of a storage for code that does not know the type of its rows.
///
/// Code for single rows is compiled where the type is known; elsewhere each step would cost several times as much. So
/// these closures are made by the code that makes a controller.
@usableFromInline
package struct RowOperations {
  // MARK: What was read
  /// Removes the rows that were read.
  @usableFromInline let clear: () -> Void
  /// The number of rows that were read.
  @usableFromInline package let count: () -> Int
  /// Appends a row.
  @usableFromInline package let append: (Row) throws -> Void
  /// Moves the rows that were read to the stash, from which `unstash` takes them by their ids.
  @usableFromInline package let stash: () throws -> Void
  @usableFromInline package let unstash: (Row, Int, Bool) throws -> Void
  @usableFromInline package let emptyStash: () -> Void

  // MARK: Making the list
  /// Appends a section, with rows that were read, to the sections being made.
  @usableFromInline let appendSection: (SectionID, String, Range<Int>) -> Void
  /// Makes these sections the list.
  @usableFromInline let takeSections: () -> Void

  // MARK: Changing it
  /// Inserts a row that was read: before the row at the path, or in its place.
  @usableFromInline let insert: (ItemPath, Int) -> Void
  @usableFromInline let replace: (ItemPath, Int) -> Void
  @usableFromInline let remove: (ItemPath) -> Void
  @usableFromInline let insertSection: (SectionID, String, Int, Int) -> Void
  @usableFromInline let removeSection: (Int) -> Void
  @usableFromInline let retitle: (Int, SectionID, String) -> Void
  /// Publishes the list's rows; the empty sections are inserted afterwards.
  @usableFromInline let showRows: () -> Void
  /// The published sections.
  @usableFromInline let shown: any ShownSections
  @usableFromInline let showEmptySection: (SectionID, String, Int) -> Void

  // MARK: Looking at it
  /// Whether the row at a path and one that was read have the same id and the same content; the content only if rows
  /// can be compared.
  @usableFromInline let isSame: (ItemPath, Int) -> (id: Bool, content: Bool)
  /// The path of a row, by its number in the whole list, and the number of rows in its section.
  @usableFromInline let path: (Int) -> (path: ItemPath, count: Int)?
  /// Begins to load what is needed to edit the list at these rows, given by their numbers in the whole list.
  @usableFromInline let prefetch: ([Int]) -> Void
  @usableFromInline let sectionCount: () -> Int
  @usableFromInline let title: (Int) -> (id: SectionID, name: String)
  /// The number of a section's first row in the whole list.
  @usableFromInline let start: (Int) -> Int
  /// How many sections were looked at or put elsewhere since the last call.
  @usableFromInline let takeVisits: () -> Int

  // MARK: Ids and contents
  @usableFromInline let canCompare: Bool
  /// Whether the ids are texts.
  @usableFromInline let hasTextIDs: Bool
  @usableFromInline let findRepeated: (_ firstSlot: Int?, _ isIDUnique: Bool) throws -> Void
  @usableFromInline let needsIDCheck: () -> Bool
  @usableFromInline let checkIDs: (Set<UInt32>, [(slot: UInt32, row: Int)]) throws -> Int
  /// Whether a row at one of the paths and one that was read have the same id.
  @usableFromInline let shareIDs: ([ItemPath], [Int]) -> Bool
  @usableFromInline let repeated: (Int) -> any Error
  @usableFromInline let beginChange: () -> Void
  @usableFromInline let endChange: () -> Void
  @usableFromInline let undoChange: () -> Void
  @usableFromInline let remember: (ItemPath, UInt64) -> Void
  @usableFromInline let mark: (Int, UInt64?) -> Void

  @inlinable
  init<E: Entity>(_ storage: RowStorage<E>, areEqual: EntityOperations<E>.Equality?) {
    clear = { storage.batch.removeAll(keepingCapacity: storage.batch.count < 256) }
    count = { storage.batch.count }
    append = {
      do {
        storage.batch.append(try E(row: $0))
        if storage.unproved > 0 { try storage.checkID($0) }
      } catch {
        throw storage.unreadable($0, error)
      }
    }
    stash = { try storage.stashBatch() }
    unstash = { try storage.unstash($0, $1, isWanted: $2) }
    emptyStash = { storage.emptyStash() }
    appendSection = { id, name, range in
      storage.sections.append(
        storage.batch.withUnsafeBufferPointer {
          Section(id: id, name: name, items: UnsafeBufferPointer(rebasing: $0[range]))
        })
    }
    takeSections = {
      storage.rows = Snapshot(storage.sections)
      storage.sections = []
    }
    insert = { storage.rows.insert(storage.batch[$1], at: $0) }
    replace = { storage.rows.replace(at: $0, with: storage.batch[$1]) }
    remove = { storage.rows.remove(at: $0) }
    insertSection = { id, name, row, index in
      storage.rows.insertSection(
        Section(id: id, name: name, items: CollectionOfOne(storage.batch[row])), at: index)
    }
    removeSection = { storage.rows.removeSection(at: $0) }
    retitle = { index, id, name in
      storage.rows.replaceSection(at: index, with: Section(id: id, name: name, items: storage.rows[index].items))
    }
    showRows = { storage.shown = storage.rows }
    shown = storage
    showEmptySection = { id, name, index in
      storage.visits += 1
      storage.shown.insertSection(Section(id: id, name: name, items: EmptyCollection()), at: index)
    }
    isSame = { path, row in
      let (old, new) = (storage.rows[path], storage.batch[row])
      guard let areEqual else { return (old.id == new.id, false) }
      return (old.id == new.id, withUnsafePointer(to: old) { old in withUnsafePointer(to: new) { areEqual(old, $0) } })
    }
    path = { offset in
      storage.rows.path(atOffset: offset).map { ($0, storage.rows[$0.section].items.count) }
    }
    prefetch = { storage.rows.prefetch(atOffsets: $0) }
    sectionCount = { storage.rows.count }
    title = {
      storage.visits += 1
      return (storage.rows[$0].id, storage.rows[$0].name)
    }
    start = {
      storage.visits += 1
      return storage.rows.offset(of: ItemPath(section: $0, item: 0)) ?? 0
    }
    takeVisits = {
      defer { storage.visits = 0 }
      return storage.visits
    }
    canCompare = areEqual != nil
    hasTextIDs = TextID.isText(E.ID.self)
    needsIDCheck = { storage.needsIDCheck() }
    findRepeated = { start, isIDUnique in
      storage.isIDUnique = isIDUnique
      if let row = storage.firstRepeated() { throw storage.repeated(row) }
      if let start { storage.noteSlots(start) }
    }
    checkIDs = { try storage.checkIDs($0, $1) }
    shareIDs = { storage.shareIDs($0, $1) }
    repeated = { storage.repeated($0) }
    beginChange = { storage.beginChange() }
    endChange = { storage.endChange() }
    undoChange = { storage.undoChange() }
    remember = { storage.remember($0, $1) }
    mark = { storage.mark($0, $1) }
  }
}

/// The error for a result in which a row occurs twice.
enum RepeatedID {
  static func error<E: Entity>(_ id: E.ID, of type: E.Type) -> DatabaseError {
    // An id that may be nil would be printed as Optional(1).
    let shown = Mirror(reflecting: id).displayStyle == .optional ? Mirror(reflecting: id).children.first?.value : id
    return DatabaseError(
      code: .misuse,
      message:
        "the id \(shown ?? "NULL") occurs more than once in the result; a list of \(type) holds each once, so join without repeating "
        + "it, for instance with EXISTS"
        + (TextID.hasOtherSpellings(id)
          ? "; texts that differ only in how letters are composed are one id in Swift" : ""))
  }
}
