public import RowModel

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension FetchRequest where E: MappedEntity {
  /// Creates a request in Swift's own terms: a predicate, and key paths for order and sections.
  ///
  /// ```swift
  /// let request = FetchRequest<Item>(
  ///   predicate: #Predicate { !$0.done && lists.contains($0.list) },
  ///   sortBy: [.ascending(\.due, nulls: .last), .ascending(\.title)],
  ///   sectionBy: \.list)
  /// ```
  ///
  /// The request keeps the predicate. When it is fetched, the engine of the database translates the predicate to SQL
  /// through the entity's mapping; see `SQL.init(_:alias:)` for what it may contain. Captured values are bound; their
  /// types must be `Codable`, which an enum has to declare. A case of an enum must be captured too: `#Predicate`
  /// refuses `$0.status == .paid` ("Member access without an explicit base") and `Status.paid` ("key path cannot refer
  /// to enum case"), so write `let paid = Status.paid` before it, and `$0.status == paid`.
  ///
  /// What the predicate computes from captured values alone, for example by a computed property, is computed at every
  /// fetch, on the thread that fetches. A predicate that can't be translated doesn't stop the program: fetching the
  /// request throws an error that names the expression.
  ///
  /// Two requests are equal if their predicates are built alike, as those of one `#Predicate` are, and capture equal
  /// values. Texts are compared by their bytes. Sets and dictionaries are equal in any order. An instance of a class, a
  /// NaN, and a value whose type has a mirror of its own are equal only in copies of one request.
  ///
  /// - Parameters:
  ///   - predicate: Which rows; by default, all.
  ///   - sortBy: The order of the rows within a section.
  ///   - sectionBy: The property that the rows of a section share; by default, there is one section.
  ///   - limit: The maximum number of rows; a negative number is the caller's mistake.
  ///   - offset: How many rows to skip at the start; a negative number is the caller's mistake.
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

  /// Creates a request with a predicate and key paths, whose sections are made by an SQL expression.
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
    var terms: [OrderTerm] = []
    var failure: DatabaseError?
    do {
      terms = try sortBy.map { try $0.term() }
    } catch {
      failure = error as? DatabaseError ?? DatabaseError(code: .misuse, message: "\(error)")
    }
    self.init(
      source: .pieces(from: nil, select: [], condition: predicate.map { .predicate(KeptPredicate($0)) }),
      sectionBy: sectionBy, orderBy: terms, limit: limit, offset: offset)
    self.failure = failure
  }
}
