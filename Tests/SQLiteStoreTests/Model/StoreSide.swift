import FixtureSupport
import SQLiteStore

/// A connection of the store, as steps are run on it.
struct StoreSide: ModelSide {
  let connection: Connection

  func run(_ sql: String, _ values: [Value]) throws -> ModelOutcome {
    // The same by a statement that is prepared by hand, which must do the same.
    let count =
      values.isEmpty && sql.utf8.count % 2 == 0
      ? try connection.prepare(sql).run() : try connection.execute(SQL(raw: sql, bindings: values))
    if PlainStore.counts(sql), count != connection.changesCount {
      throw ModelFailure(code: -3, message: "\(count) rows are not the changesCount of \(connection.changesCount)")
    }
    return .changed(count, lastID: PlainStore.inserts(sql) && count > 0 ? connection.lastInsertedRowID : nil)
  }

  func rows(_ sql: String, _ values: [Value]) throws -> [[RawDatabase.Value]] {
    try connection.rows(SQL(raw: sql, bindings: values)).map { try $0.values.map { RawDatabase.Value($0) } }
  }

  func script(_ script: ModelScript) throws { try connection.executeScript(script.text) }

  func setting(_ sql: String) throws { try connection.execute(SQL(raw: sql)) }

  func inSavepoint(_ body: () throws -> Void) throws { try connection.savepoint(body) }

  func forEachRow(_ sql: String, _ body: () throws -> Void) throws {
    try connection.forEach(SQL(raw: sql)) { _ in try body() }
  }

  func entity(_ call: EntityCall) throws -> ModelOutcome {
    switch call.kind {
    case .item: try entity(ModelEntities.Item.self, call)
    case .shown: try entity(ModelEntities.Shown.self, call)
    case .part: try entity(ModelEntities.Part.self, call)
    case .word: try entity(ModelEntities.Word.self, call)
    case .looseWord: try entity(ModelEntities.LooseWord.self, call)
    }
  }

  private func entity<E: ModelEntity>(_: E.Type, _ call: EntityCall) throws -> ModelOutcome {
    func rows(_ entities: [E]) -> ModelOutcome { .rows(entities.map { $0.values.map { RawDatabase.Value($0) } }) }
    let entity = try E(values: call.values)
    switch call.action {
    case .insert: return .rows([[RawDatabase.Value(try connection.insert(entity).databaseValue)]])
    case .inserted: return rows([try connection.inserted(entity)])
    case .update:
      try connection.update(entity)
      return .rows([])
    case .upsert:
      try connection.upsert(entity)
      return .rows([])
    case .deleteByID: return .changed(try connection.delete(E.self, id: entity.id) ? 1 : 0, lastID: nil)
    case .delete: return .changed(try connection.delete(entity) ? 1 : 0, lastID: nil)
    case .find: return rows(try connection.entity(E.self, id: entity.id).map { [$0] } ?? [])
    case .all: return rows(try connection.all(E.self))
    case .count: return .changed(try connection.count(E.self), lastID: nil)
    }
  }
}
