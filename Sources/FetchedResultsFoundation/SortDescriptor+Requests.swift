public import FetchedResultsCore
public import Foundation
public import RowModel

extension TypedOrderTerm {
  /// Creates a term from one of Foundation's sort descriptors.
  ///
  /// ```swift
  /// let newestFirst = TypedOrderTerm(SortDescriptor(\Item.created, order: .reverse))
  /// ```
  ///
  /// Numbers and dates are sorted as by Swift's `<`, and texts byte by byte. Nil comes first, or last in reverse
  /// order. A descriptor that compares in another way, by the rules of a language or by a type's own `<`, has no
  /// counterpart in SQL: fetching the request throws an error that says so. On Apple's systems this also applies to a
  /// descriptor of a string, unless it has `comparator: .lexical`.
  public init(_ descriptor: SortDescriptor<E>) {
    guard let keyPath = descriptor.keyPath else {
      self.init(failure: "\(descriptor) sorts by no key path, so it can't sort a request")
      return
    }
    if let comparator = descriptor.stringComparator, !Self.isLexical(comparator) {
      self.init(
        failure: "\(keyPath) would be sorted by the rules of a language, which the database doesn't know; "
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
  /// Creates a request with a predicate, sorted by Foundation's sort descriptors.
  ///
  /// ```swift
  /// let request = FetchRequest<Item>(
  ///   predicate: #Predicate { !$0.done },
  ///   sortBy: [SortDescriptor(\.due), SortDescriptor(\.title, comparator: .lexical)])
  /// ```
  ///
  /// Fetching the request throws an error for a descriptor that can't be expressed in SQL, see `TypedOrderTerm`.
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
