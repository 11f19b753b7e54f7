import CFetchedResultsSQLite
import DataSources
import FetchedResultsCore
import FetchedResultsSupport
import RowModel
import SQLiteStore
import Synchronization

/// A request, planned and run by SQLite.
final class SQLiteQuery: ResultQuery {
  let identity = QueryIdentity()
  // A class, because reading a property of a struct in a closure may copy all of it.
  private let plan: Held<QueryPlan>
  /// The tables whose changes affect the query.
  let dependencies: [ResultDependency]
  let lostIndexes: Set<String>
  private let single: Single?
  let schemaVersions: [Int64]
  private let isFingerprinted: Bool
  /// The cost of the last run of the whole query, in steps of SQLite's virtual machine.
  private let costOfWhole = Atomic<Int>(0)
  /// How many rows have been read one by one since then. The whole query would now read at most that many more.
  private let rowsSince = Atomic<Int>(0)
  // Keeps the section's function alive, which the statements call by its number.
  private let request: RequestDescription

  init(plan: QueryPlan, schemaVersions: [Int64], request: RequestDescription, isFingerprinted: Bool) {
    self.plan = Held(plan)
    dependencies = plan.dependencies.map {
      ResultDependency(table: $0.table, role: $0.role, needsOldState: $0.needsOldState)
    }
    single = plan.restricted.map { Single($0, plan) }
    lostIndexes = request.lostIndexes
    self.schemaVersions = schemaVersions
    self.request = request
    self.isFingerprinted = isFingerprinted
  }

  var order: KeyOrder { plan.content.order }
  var reason: String? { plan.content.reason }
  var isNameOfID: Bool { plan.content.isNameOfID }
  var isIDUnique: Bool { plan.content.isIDUnique }
  /// Whether two rows can exchange their ids in one commit, which reports them by other keys.
  var canExchangeIDs: Bool { plan.content.isIDUnique && !plan.content.isIDKey }
  var numberOfPartners: Int { plan.content.partnerKeys.count }
  var hasHeaders: Bool { plan.content.including != nil }
  var condition: RowCondition? { plan.content.condition }

  func isStale(_ view: any EngineView) throws -> Bool {
    try SQLiteView.schemaVersions(of: connection(view)) != schemaVersions
  }

  func isOvertaken(_ view: any EngineView) throws -> Bool {
    // It is known since the state was fixed, so it costs nothing.
    let version = try connection(view).snapshotSchema
    return version != 0 && version != schemaVersions.first
  }

  private func connection(_ view: any EngineView) throws -> Connection {
    guard let view = view as? SQLiteView else { fatalError("a view of another engine") }
    return view.connection
  }

  // MARK: Running

  var contentNames: [String] { plan.content.contentNames }

  func fetch(_ view: any EngineView, onto storage: RowOperations, former: [String]?) throws -> RowBatch {
    let connection = try connection(view)
    var batch = RowBatch()
    batch.order = KeyBuffer(capacity: 1 << 12)
    batch.partners = plan.content.partnerKeys.map { _ in [] }
    let former = try isFingerprinted ? former.flatMap { try FormerColumns($0, plan.content, connection) } : nil
    if plan.content.values != nil { return try fetchApart(connection, storage, former) }
    // If only a window is shown, but all rows are followed, the other rows are not created.
    let window = plan.content.window
    batch.itemsStart = window.lowerBound
    try withWhole(connection) { cursor in
      guard try cursor.step() else { return }
      // Only now: a statement that is run again after a change of the schema may have other columns.
      let columns = Columns(plan.content, sqlite3_column_count(cursor.handle), isSingle: false, former: former)
      columns.hideAdded(cursor)
      repeat {
        if window.contains(batch.count) { try storage.append(cursor.row) }
        try columns.read(cursor, into: &batch, isFingerprinted: isFingerprinted)
        if plan.content.reason != nil, batch.count >= window.upperBound, !hasHeaders { break }
      } while try cursor.step()
    }
    return batch
  }

  /// Runs the statement of the whole query, and notes what it has cost if it comes to its end.
  private func withWhole(_ connection: Connection, _ body: (Cursor) throws -> Void) throws {
    try connection.withCursor(plan.content.full.text, plan.content.full.bindings) { cursor in
      let before = cursor.steps
      try body(cursor)
      costOfWhole.store(Int(cursor.steps &- before), ordering: .relaxed)
      rowsSince.store(0, ordering: .relaxed)
    }
  }

  /// Reads rows whose values come from the statement alone, in the order of the surrounding statement.
  private func fetchApart(_ connection: Connection, _ storage: RowOperations, _ former: FormerColumns?) throws
    -> RowBatch
  {
    guard let values = plan.content.values else { return RowBatch() }
    defer { storage.emptyStash() }
    try connection.withCursor(values.text, values.bindings) { cursor in
      while try cursor.step() { try storage.append(cursor.row) }
    }
    try storage.stash()
    var batch = RowBatch()
    let window = plan.content.window
    batch.itemsStart = window.lowerBound
    try withWhole(connection) { cursor in
      guard try cursor.step() else { return }
      let columns = Columns(plan.content, sqlite3_column_count(cursor.handle), isSingle: false, former: former)
      let index = try cursor.row.index(of: plan.content.idName)
      repeat {
        try storage.unstash(cursor.row, index, window.contains(batch.count))
        try columns.read(cursor, into: &batch, isFingerprinted: isFingerprinted)
        if batch.count >= window.upperBound, !hasHeaders { break }
      } while try cursor.step()
    }
    return batch
  }

  func rows(of keys: [RowKey], _ view: any EngineView, onto storage: RowOperations) throws -> RowBatch {
    rowsSince.add(keys.count, ordering: .relaxed)
    var batch = RowBatch()
    batch.firstItem = storage.count()
    batch.partners = plan.content.partnerKeys.map { _ in [] }
    guard let single else { fatalError("the query is run as a whole") }
    let isRowID = plan.content.isEntityKeyRowID
    // A key also finds a row whose own key is spelt differently: 1 finds 1.0, and under NOCASE 'a' finds 'A'.
    var respelt: Set<RowKey> = []
    var steps = 0
    func read(_ keys: [RowKey]) throws {
      try each(keys, single.statement, try connection(view), &steps) { cursor, key in
        let columns = single.columns(sqlite3_column_count(cursor.handle))
        columns.hideAdded(cursor)
        if !isRowID {
          let found = try columns.entityKey(cursor)
          if found != key {
            respelt.insert(found)
            return
          }
        }
        try storage.append(cursor.row)
        try columns.read(cursor, into: &batch, isFingerprinted: isFingerprinted)
      }
    }
    try read(keys)
    if !respelt.isEmpty {
      batch.respelt = Array(respelt.subtracting(keys))
      try read(batch.respelt)
    }
    batch.steps = steps
    return batch
  }

  func wording(of dependency: Int) -> SQL? { plan.content.dependencies[dependency].affected?.sql }

  func affected(
    by rows: [RowKey], of dependency: Int, within limit: inout SearchLimit, _ view: any EngineView
  ) throws -> [RowKey] {
    guard let affected = plan.content.dependencies[dependency].affected else { return rows }
    var keys: [RowKey] = []
    var steps = 0
    defer {
      limit.keys -= keys.count
      limit.steps -= steps
    }
    let most = limit
    func find() throws {
      try each(rows, affected, try connection(view), &steps) { cursor, _ in
        if keys.count == most.keys { throw OldState.TooMany() }
        let count = sqlite3_column_count(cursor.handle)
        keys.append(try Columns.key(cursor, Array(0..<count), isRowID: plan.content.isEntityKeyRowID))
      }
    }
    if most.steps == .max {
      try find()
    } else {
      do {
        try connection(view).limitingSteps(to: most.steps) { try find() }
      } catch let error as DatabaseError where error.code == .interrupt {
        throw OldState.TooMany()
      }
    }
    return keys
  }

  /// What reading some rows one by one may cost: somewhat more than the whole query, whose rows must also be compared.
  /// Below a millisecond or so it does not matter.
  ///
  /// How much the whole query would cost now is not known. The rows that were read since may be new ones, or one row
  /// that changes again and again. So it is taken to have grown by half at most, and by the rows that are read now. If
  /// that is too little, the whole query runs, and its cost is known again.
  private func mostSteps(for count: Int) -> Int {
    let whole = costOfWhole.load(ordering: .relaxed)
    let growth = Self.usualSteps * rowsSince.load(ordering: .relaxed)
    return max(100_000, 3 * (whole + min(growth, whole / 2 + Self.usualSteps * count)))
  }

  /// What it costs to read a row, if its condition is a usual one.
  private static let usualSteps = 50

  /// Runs a statement for one key after another, and adds the steps that it takes to `steps`. Throws
  /// ``CostlierThanWhole`` if those are too many.
  private func each(
    _ keys: [RowKey], _ statement: Composition.Keyed, _ connection: Connection, _ steps: inout Int,
    _ body: (Cursor, RowKey) throws -> Void
  ) throws {
    guard let first = keys.first else { return }
    var bindings = statement.sql.bindings
    func bind(_ key: RowKey, replacing count: Int) -> Int {
      let values: [Value] =
        switch key {
        case .number(let number): [.integer(number)]
        case .values(let values): values
        }
      bindings.replaceSubrange(statement.place..<statement.place + count, with: values)
      return values.count
    }
    var count = bind(first, replacing: 0)
    let most = mostSteps(for: keys.count)
    try connection.withCursor(statement.sql.text, bindings) { cursor in
      let before = cursor.steps
      defer { steps += Int(cursor.steps &- before) }
      for (index, key) in keys.enumerated() {
        if index > 0 {
          if cursor.steps &- before > most { throw CostlierThanWhole() }
          count = bind(key, replacing: count)
          try cursor.restart(bindings)
        }
        while try cursor.step() { try body(cursor, key) }
      }
    }
  }

  func headers(_ view: any EngineView) throws -> [SectionHeader] {
    guard let including = plan.content.including else { return [] }
    var headers: [SectionHeader] = []
    try connection(view).withCursor(including.text, including.bindings) { cursor in
      let count = sqlite3_column_count(cursor.handle)
      let parts = plan.content.order.parts
      let orderParts = plan.content.order.sectionOrderParts
      while try cursor.step() {
        func encoded(_ columns: [(column: Int32, part: KeyOrder.Part)]) -> [UInt8] {
          let buffer = KeyBuffer()
          buffer.beginEntry()
          for (column, part) in columns { Columns.encode(cursor.handle, column, part, into: buffer) }
          buffer.endEntry(0)
          return Array(buffer.bytes(0))
        }
        let value = (column: Int32(0), part: parts[orderParts])
        let hasOrder = orderParts == 0 || count > 2
        let ordering = (0..<orderParts).map { (column: Int32($0 + 2), part: parts[$0]) }
        headers.append(
          SectionHeader(
            order: hasOrder ? encoded(ordering + [value]) : nil, value: encoded([value]),
            name: Columns.text(cursor.handle, count > 1 ? 1 : 0)))
      }
    }
    return headers
  }
}

/// A value that is shared and never changes.
final class Held<Content: Sendable>: Sendable {
  let content: Content
  init(_ content: Content) { self.content = content }
}

/// The statement for one key, and the positions of its columns.
private final class Single: Sendable {
  let statement: Composition.Keyed
  private let plan: Held<QueryPlan>
  private let known = Locked<(count: Int32, columns: Columns)?>(nil)

  init(_ statement: Composition.Keyed, _ plan: QueryPlan) {
    self.statement = statement
    self.plan = Held(plan)
  }

  /// The columns of a result with `count` columns. Another number means that the schema has just changed.
  func columns(_ count: Int32) -> Columns {
    known.withLock { known in
      if let known, known.count == count { return known.columns }
      let columns = Columns(plan.content, count, isSingle: true)
      known = (count, columns)
      return columns
    }
  }
}
