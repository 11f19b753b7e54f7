public import SQLiteStore

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension FetchRequest where E: MappedEntity {
  /// A request in Swift's own terms: a predicate, and key paths for order and sections.
  ///
  /// ```swift
  /// let request = FetchRequest<Item>(
  ///   predicate: #Predicate { !$0.done && lists.contains($0.list) },
  ///   sortBy: [.ascending(\.due, nulls: .last), .ascending(\.title)],
  ///   sectionBy: \.list)
  /// ```
  ///
  /// The predicate becomes SQL through the entity's mapping, see `SQL.init(_:alias:)` for what it may hold; what it captures
  /// is bound. What can't be translated doesn't stop the program: whoever fetches the request throws an error that names
  /// the expression.
  ///
  /// - Parameters:
  ///   - predicate: Which rows; unless given, all.
  ///   - sortBy: What rows are sorted by within a section.
  ///   - sectionBy: The property that rows of a section have in common; unless given, there is one section.
  ///   - limit: The most rows; negative numbers are the caller's mistake.
  ///   - offset: How many rows are left out at the start; negative numbers are the caller's mistake.
  public init(
    predicate: Predicate<E>? = nil, sortBy: [TypedOrderTerm<E>] = [], sectionBy: PartialKeyPath<E>? = nil,
    limit: Int? = nil, offset: Int = 0
  ) {
    var failure: DatabaseError?
    var section: SectionTerm?
    if let sectionBy {
      do {
        section = .by(try TypedColumns<E>(alias: nil).grouping(sectionBy))
      } catch {
        failure = error
      }
    }
    self.init(predicate, sortBy, section, limit, offset)
    if self.failure == nil { self.failure = failure }
  }

  /// A request with a predicate and key paths whose sections are made by an SQL expression.
  ///
  /// ```swift
  /// let request = FetchRequest<Item>(
  ///   predicate: #Predicate { !$0.done }, sectionBy: .by("list", including: "SELECT id, name FROM list"))
  /// ```
  public init(
    predicate: Predicate<E>? = nil, sortBy: [TypedOrderTerm<E>] = [], sectionBy: SectionTerm, limit: Int? = nil,
    offset: Int = 0
  ) {
    self.init(predicate, sortBy, sectionBy, limit, offset)
  }

  private init(
    _ predicate: Predicate<E>?, _ sortBy: [TypedOrderTerm<E>], _ sectionBy: SectionTerm?, _ limit: Int?, _ offset: Int
  ) {
    var condition: SQL?
    var terms: [OrderTerm] = []
    var failure: DatabaseError?
    do {
      // In a WHERE, NULL is as good as false, and without a COALESCE around it an index serves the condition.
      condition = try predicate.map { try Translator(E.self, alias: nil).term(of: $0).truth }
      terms = try sortBy.map { try $0.term() }
    } catch {
      failure = error as? DatabaseError ?? DatabaseError(code: .misuse, message: "\(error)")
    }
    self.init(where: condition, sectionBy: sectionBy, orderBy: terms, limit: limit, offset: offset)
    self.failure = failure
  }
}
