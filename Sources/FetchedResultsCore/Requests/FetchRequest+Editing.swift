public import RowModel

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

// A request is a value: change a copy, or the one that a controller follows, whose list then changes in one update.
extension FetchRequest {
  /// The tables, beginning with the entity's; nil for its table alone.
  public var from: SQL? {
    get { if case .pieces(let from, _, _) = source { from } else { nil } }
    set { edit("tables") { from, _ in from = newValue } }
  }

  /// The condition in SQL, beside that of ``predicate``; nil for none.
  public var `where`: SQL? {
    get {
      conditions.compactMap { if case .sql(let sql) = $0 { sql } else { nil } }.reduce(nil) { all, sql in
        all.map { "(" + $0 + "\n) AND (" + sql + "\n)" } ?? sql
      }
    }
    set {
      edit("condition") { _, conditions in
        conditions.removeAll { if case .sql = $0 { true } else { false } }
        if let newValue { conditions.append(.sql(newValue)) }
      }
    }
  }

  /// The rows that meet another condition too.
  ///
  /// ```swift
  /// let open = FetchRequest<Item>(predicate: #Predicate { !$0.done })
  /// controller.fetchRequest = open.filtered(where: "title LIKE \(word + "%")")
  /// ```
  public func filtered(where condition: SQL) -> FetchRequest { filtered(by: .sql(condition)) }

  func filtered(by condition: RequestCondition) -> FetchRequest {
    var request = self
    request.edit("condition") { _, conditions in conditions.append(condition) }
    return request
  }

  private var conditions: [RequestCondition] {
    if case .pieces(_, _, let condition?) = source { condition.parts } else { [] }
  }

  fileprivate mutating func edit(_ what: String, _ change: (inout SQL?, inout [RequestCondition]) -> Void) {
    guard case .pieces(var from, let select, let condition) = source else {
      failure = .misuse("the \(what) of a request that is a whole statement can't be set; write it into the statement")
      return
    }
    var conditions = condition?.parts ?? []
    change(&from, &conditions)
    source = .pieces(from: from, select: select, condition: .all(conditions))
  }
}

extension FetchRequest where E: MappedEntity {
  /// The rows that meet a predicate too.
  ///
  /// ```swift
  /// let open = FetchRequest<Item>(predicate: #Predicate { !$0.done })
  /// let urgent = open.filtered(by: #Predicate { $0.priority > 1 })
  /// ```
  public func filtered(by predicate: Predicate<E>) -> FetchRequest {
    filtered(by: .predicate(KeptPredicate(predicate)))
  }

  /// The predicate, beside the condition of ``where``; nil for none. Another one takes the
  /// place of the first, and those that ``filtered(by:)`` has added stay; nil removes all.
  public var predicate: Predicate<E>? {
    get {
      conditions.lazy.compactMap { if case .predicate(let kept) = $0 { kept.predicate as? Predicate<E> } else { nil } }
        .first
    }
    set {
      edit("predicate") { _, conditions in
        func isPredicate(_ condition: RequestCondition) -> Bool {
          if case .predicate = condition { true } else { false }
        }
        guard let newValue else { return conditions.removeAll(where: isPredicate) }
        let place = conditions.firstIndex(where: isPredicate)
        if let place { conditions.remove(at: place) }
        conditions.insert(.predicate(KeptPredicate(newValue)), at: place ?? conditions.endIndex)
      }
    }
  }

  /// Creates a request with joins, whose condition on the entity's own columns is a predicate.
  ///
  /// ```swift
  /// let request = FetchRequest<Item>(
  ///   from: "item JOIN list ON list.id = item.list", predicate: #Predicate { !$0.done },
  ///   sortBy: [.ascending(\.title)], sectionBy: "list.name")
  /// ```
  ///
  /// In `from` the entity's table has no alias, because predicates and key paths name it.
  public init(
    from: SQL, select: KeyValuePairs<String, SQL> = [:], predicate: Predicate<E>, sortBy: [TypedOrderTerm<E>] = [],
    sectionBy: SectionTerm? = nil, limit: Int? = nil, offset: Int = 0
  ) {
    self.init(from: from, select: select, sectionBy: sectionBy, limit: limit, offset: offset)
    do {
      orderBy = try sortBy.map { try $0.term() }
    } catch {
      failure = error as? DatabaseError ?? DatabaseError(code: .misuse, message: "\(error)")
    }
    self.predicate = predicate
  }
}
