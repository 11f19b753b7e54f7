public import FetchedResults
public import Foundation

extension TypedOrderTerm {
  /// The order of one of Foundation's sort descriptors.
  ///
  /// ```swift
  /// let newestFirst = TypedOrderTerm(SortDescriptor(\Item.created, order: .reverse))
  /// ```
  ///
  /// Numbers, dates and texts are sorted as Swift's `<` does, texts byte by byte, and nil comes before all else, or behind
  /// all else in reverse. What compares in another way, by the rules of a language or by a type's own `<`, has no
  /// counterpart in SQL: whoever fetches the request throws an error that says so. On Apple's systems that is so for a
  /// descriptor of a string too, unless it says `comparator: .lexical`.
  public init(_ descriptor: SortDescriptor<E>) {
    guard let keyPath = descriptor.keyPath else {
      self.init(failure: "\(descriptor) sorts by no key path, so it can't sort a request")
      return
    }
    if let comparator = descriptor.stringComparator, !Self.isLexical(comparator) {
      self.init(
        failure: "\(keyPath) would be sorted by the rules of a language, which SQLite doesn't know; "
          + "say `comparator: .lexical`, or sort by a collation: .ascending(\(keyPath), collation: .named(…))")
      return
    }
    self.init(asInSwift: keyPath, descriptor.order == .forward ? .ascending : .descending)
  }

  private static func isLexical(_ comparator: String.StandardComparator) -> Bool {
    var forward = comparator
    forward.order = .forward
    return forward == .lexical
  }
}

extension FetchRequest where E: MappedEntity {
  /// A request with a predicate that is sorted by Foundation's sort descriptors.
  ///
  /// ```swift
  /// let request = FetchRequest<Item>(
  ///   predicate: #Predicate { !$0.done }, sortBy: [SortDescriptor(\.due), SortDescriptor(\.title, comparator: .lexical)])
  /// ```
  ///
  /// What a descriptor can't say in SQL is an error that whoever fetches the request throws, see `TypedOrderTerm`.
  @_disfavoredOverload
  public init(
    predicate: Predicate<E>? = nil, sortBy: [SortDescriptor<E>], sectionBy: PartialKeyPath<E>? = nil,
    limit: Int? = nil, offset: Int = 0
  ) {
    self.init(
      predicate: predicate, sortBy: sortBy.map { TypedOrderTerm($0) }, sectionBy: sectionBy, limit: limit,
      offset: offset)
  }
}
